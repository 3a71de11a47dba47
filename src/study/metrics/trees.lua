-- Metrics of congestion trees that were looked for while the run went on (run.trees).

-- Trees of one kind, or all that were seen at four samples or more.
local function trees_of(r, kind)
   local out = {}
   for i, t in ipairs(r:trees()) do
      if kind and t.kind == kind or not kind and t.kind ~= "unjudged" then
         t.number = i
         out[#out + 1] = t
      end
   end
   return out
end

local function tree_at(r, n)
   local list = r:trees()
   return list[n] or error("there are " .. #list .. " trees, none has number " .. n, 0)
end

metric{name = "tree_count", args = "[what]", what = "silent windy moving unjudged", met = "MET-18",
   help = "congestion trees that were found: of a kind, or all but those seen at fewer than four samples (unjudged)",
   of = function(r, kind) return #trees_of(r, kind) end}
metric{name = "tree_roots", args = "[what]", what = "silent windy moving unjudged", returns = "list", met = "MET-18",
   help = "their roots, as 's1.1 > h4', heaviest tree first",
   of = function(r, kind)
      return map(trees_of(r, kind), function(t) return t.root .. " > " .. t.to end)
   end}
metric{name = "tree_links", args = "n, [ratio]", returns = "list", met = "MET-18",
   help = "ports of tree n (1: the heaviest) that are in it in at least this share of its samples (0.5)",
   of = function(r, n, ratio)
      local out = {}
      tree_at(r, n)
      for _, b in ipairs(r:branches(n)) do
         if b.share >= (ratio or 0.5) then out[#out + 1] = b.port end
      end
      return out
   end}
metric{name = "tree_hosts", args = "n, [ratio]", returns = "list", met = "MET-18",
   help = "hosts that tree n reaches, in at least this share of its samples (0.5)",
   of = function(r, n, ratio)
      local host, out = {}, {}
      tree_at(r, n)
      for _, node in ipairs(r:nodes()) do host[node.name] = true end
      for _, b in ipairs(r:branches(n)) do
         local name = string.match(b.port, "^(.*) > ")
         if b.share >= (ratio or 0.5) and host[name] then out[#out + 1] = name end
      end
      return out
   end}
metric{name = "tree_value", args = "n, what",
   what = "links depth contributors victims loss bytes_mean bytes_max similarity overlap contributor_overlap moves",
   met = "MET-18", help = "one number of tree n",
   of = function(r, n, what)
      return tree_at(r, n)[what] or error("tree " .. n .. " has no " .. what, 0)
   end}

