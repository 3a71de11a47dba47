-- The metrics of the papers, each implemented once, for expressions in study files.
--
-- A run answers raw questions by itself (implemented in C): series(name), scalar(name), streams(),
-- nodes(), ports(), flows(), info(). What is defined here with metric{...} becomes a further
-- question; plain functions work on numbers and lists. `coppice list metrics` prints this table.
-- Times are text with a unit ("2 ms") or numbers of seconds.

local catalogue = {}
local by_name = {}

-- What the names in `args` stand for; those in brackets may be left out. A wrong argument is a fault:
-- a metric that made the best of it would answer another question than the one asked.
local kinds = {
   text = "series entry port node switch role what part except",
   number = "level link_gbps gbps bytes ratio factor tier n first last",
   time = "t0 t1 span",
   ["text or number"] = "host",
}
local kind_of = {["{series...}"] = "list"}
local right = {
   text = "give text",
   number = "give a number",
   time = "give a time, such as '2 ms'",
   ["text or number"] = "give a name or a number",
   list = "give a list of names",
}
for kind, names in pairs(kinds) do
   for name in string.gmatch(names, "%S+") do kind_of[name] = kind end
end

local function fits(kind, v)
   local text, number = type(v) == "string", type(v) == "number"
   if kind == "list" then
      return type(v) == "table" and type(v[1]) == "string"
   end
   return kind == "text" and text or kind == "number" and number and v == v or
      (kind == "time" or kind == "text or number") and (text or number)
end

local function arguments(m)
   local list, optional = {}, false
   for word in string.gmatch(m.args, "[^, ]+") do
      optional = optional or string.sub(word, 1, 1) == "["
      local name = string.gsub(word, "[%[%]]", "")
      local kind = kind_of[name] or error("what is " .. name .. "?", 0)
      list[#list + 1] = {name = name, kind = kind, optional = optional}
   end
   return list
end

local function wrong(m, what, remedy)
   error(string.format("%s(%s): %s; %s", m.name, m.args, what, remedy), 0)
end

local function one_of(m, name, v)
   local choices = m[name]
   if not choices then return end
   for word in string.gmatch(choices, "%S+") do
      if v == word then return end
   end
   wrong(m, name .. " is `" .. v .. "`", "use one of " .. string.gsub(choices, " ", ", "))
end

-- Are all arguments there that must be, and no others? All that can be known before there are runs.
local function check_number(m, n, ...)
   local given = {...}
   for i, a in ipairs(m.list) do
      if given[i] == nil and not a.optional then
         wrong(m, a.name .. " is missing", right[a.kind])
      end
   end
   if n > #m.list then wrong(m, "argument " .. n .. " is too much", "leave it out") end
end

local function check(m, ...)
   local given = {...}
   check_number(m, select("#", ...), ...)
   for i, a in ipairs(m.list) do
      if given[i] ~= nil then
         if not fits(a.kind, given[i]) then
            local is = given[i] ~= given[i] and "no number" or "a " .. type(given[i])
            wrong(m, a.name .. " is " .. is, right[a.kind])
         end
         one_of(m, a.name, given[i])
      end
   end
end

local function metric(m)
   local of = m.of
   m.list = arguments(m)
   m.of = function(run, ...)
      check(m, ...)
      return of(run, ...)
   end
   m.rehearse = function(_, ...) check_number(m, select("#", ...), ...) end
   catalogue[#catalogue + 1] = m
   by_name[m.name] = m
end

-- lists of numbers ------------------------------------------------------------------------------

function sum(list)
   local s = 0
   for _, v in ipairs(list) do s = s + v end
   return s
end

function mean(list)
   if #list == 0 then error("the mean of no values", 0) end
   return sum(list) / #list
end

function variance(list)
   local m, s = mean(list), 0
   for _, v in ipairs(list) do s = s + (v - m) ^ 2 end
   return #list > 1 and s / (#list - 1) or 0
end

function sd(list) return math.sqrt(variance(list)) end

-- Lists may be longer than what a function can take as arguments.
local function extreme(list, pick)
   if #list == 0 then error("the least or greatest of no values", 0) end
   local v = list[1]
   for i = 2, #list do v = pick(v, list[i]) end
   return v
end

function min(list, ...)
   if type(list) ~= "table" then return math.min(list, ...) end
   return extreme(list, math.min)
end

function max(list, ...)
   if type(list) ~= "table" then return math.max(list, ...) end
   return extreme(list, math.max)
end

function map(list, f)
   local out = {}
   for i, v in ipairs(list) do out[i] = f(v) end
   return out
end

function round(v, digits)
   local unit = 10 ^ (digits or 0)
   return math.floor(v * unit + 0.5) / unit
end

-- 1 if two lists have the same members, in any order and however often; otherwise 0.
function same_set(a, b)
   local function within(list, other)
      local known = {}
      for _, v in ipairs(other) do known[v] = true end
      for _, v in ipairs(list) do
         if not known[v] then return false end
      end
      return true
   end
   return within(a, b) and within(b, a) and 1 or 0
end

-- The greatest distance of a list from what it should be, relative to that.
function worst(list, expected)
   local most = 0
   for i, v in ipairs(list) do
      local want = type(expected) == "table" and expected[i] or expected
      most = math.max(most, math.abs(v - want) / math.abs(want))
   end
   return most
end

-- Jain's index: 1 if all are equal, 1/n if one has everything.
function jain(list)
   local s, q = sum(list), 0
   for _, v in ipairs(list) do q = q + v * v end
   return q > 0 and s * s / (#list * q) or 1
end

-- relations, as numbers that a rule bounds --------------------------------------------------------

-- By how much a lies above b, relative to the larger of the two; rule: sign.
function above(a, b)
   local scale = math.max(math.abs(a), math.abs(b))
   return scale > 0 and (a - b) / scale or 0
end

-- How far apart two values are, relative to the larger one.
function apart(a, b) return math.abs(above(a, b)) end

-- The smallest above() between neighbours of a list that should fall; rule: sign.
function falling(list)
   local least = math.huge
   for i = 2, #list do least = math.min(least, above(list[i - 1], list[i])) end
   return least
end

local function ranks(list)
   local order, rank = {}, {}
   for i = 1, #list do order[i] = i end
   table.sort(order, function(a, b) return list[a] < list[b] or (list[a] == list[b] and a < b) end)
   local i = 1
   while i <= #order do
      local j = i
      while j < #order and list[order[j + 1]] == list[order[i]] do j = j + 1 end
      for k = i, j do rank[order[k]] = (i + j) / 2 end
      i = j + 1
   end
   return rank
end

-- Spearman's rank correlation; rule: trend.
function trend(xs, ys)
   local a, b = ranks(xs), ranks(ys)
   local ma, mb, ab, aa, bb = mean(a), mean(b), 0, 0, 0
   for i = 1, #a do
      ab = ab + (a[i] - ma) * (b[i] - mb)
      aa = aa + (a[i] - ma) ^ 2
      bb = bb + (b[i] - mb) ^ 2
   end
   return aa > 0 and bb > 0 and ab / math.sqrt(aa * bb) or 0
end

-- Pearson's correlation of two lists, between -1 and 1.
function correlation(xs, ys)
   local mx, my, xy, xx, yy = mean(xs), mean(ys), 0, 0, 0
   for i = 1, #xs do
      xy = xy + (xs[i] - mx) * (ys[i] - my)
      xx = xx + (xs[i] - mx) ^ 2
      yy = yy + (ys[i] - my) ^ 2
   end
   return xx > 0 and yy > 0 and xy / math.sqrt(xx * yy) or 0
end

-- How much worse the better end of a sweep is than its best point, relative to that; below 0 if the
-- best point is an end. Rule: inner maximum.
function inner_maximum(ys)
   local best = max(ys)
   local ends = math.max(ys[1], ys[#ys])
   return ends >= best and -1 or (best - ends) / math.abs(best)
end

-- Where a rising curve passes a level, on a line between two points; the last x if it does not.
function crossing(xs, ys, level)
   for i = 2, #xs do
      if ys[i] >= level then
         local part = (level - ys[i - 1]) / (ys[i] - ys[i - 1])
         return xs[i - 1] + math.max(0, part) * (xs[i] - xs[i - 1])
      end
   end
   return xs[#xs]
end

-- MET-6: what a non-hotspot could receive on average if no congestion tree stood in the way. x is
-- the share of B nodes, p of their traffic goes to hotspots, v the share of V nodes in the others.
function tmax(x, p, v, inject)
   return inject * (x * (1 - p) + (1 - x) * v)
end

-- Shares of the last link if all hosts of a k-ary n-tree send to one and switches serve their busy
-- inputs in turn; by the number of levels that a source must climb, the nearest first. Followed from
-- the destination up: every switch divides what it may send among its busy inputs.
function tree_shares(k, n)
   local share, down = {}, 1
   for level = 1, n do
      -- k - 1 other branches below, and what comes down from above, except at the top
      down = down / (level < n and k or k - 1)
      local up = down
      for _ = 2, level do up = up / k end
      share[level] = up
   end
   if n == 1 then share[1] = 1 / (k - 1) end
   return share
end

-- The same for a row of switches with so many ports each: one host or more on each, all busy, and
-- the destination on the first.
function row_shares(ports, switches)
   local share, left = {}, 1
   for i = 1, switches do
      left = left / (ports - 1)
      share[i] = left
   end
   return share
end

-- Delay in us of entry i of the congestion control table of Paper III, and rules of the guideline
-- table of Pfister et al. for n ports and hot spots of at most h sources.
function cct(i, divisor) return i * i * 7 / divisor ^ 2 end
function guide_increment(n, h) return math.min(n / 6, h / 2) end
function guide_delay_us(h) return 2 / 3 * h end

-- metrics of a run ----------------------------------------------------------------------------------

-- The bins of a series that lie inside [t0, t1).
local function window(run, name, t0, t1)
   local s = run:series(name)
   local from = t0 and seconds(t0) or run:info().warmup
   local to = t1 and seconds(t1) or s.dt * #s
   local out = {}
   for i = 1, #s do
      if (i - 1) * s.dt >= from - 1e-12 and i * s.dt <= to + 1e-12 then out[#out + 1] = s[i] end
   end
   if #out == 0 then
      error(string.format("series `%s` has no bin between %g s and %g s", name, from, to), 0)
   end
   return out
end

metric{name = "window", args = "series, [t0, t1]", returns = "list", met = "MET-1",
   help = "the values of a series (a traffic entry's name means its throughput) between two times",
   of = window}
metric{name = "mean", args = "series, [t0, t1]", met = "MET-2", help = "mean over a window",
   of = function(r, n, a, b) return mean(window(r, n, a, b)) end}
metric{name = "sd", args = "series, [t0, t1]", met = "MET-2", help = "standard deviation over a window",
   of = function(r, n, a, b) return sd(window(r, n, a, b)) end}
metric{name = "min", args = "series, [t0, t1]", met = "MET-2", help = "least value in a window",
   of = function(r, n, a, b) return min(window(r, n, a, b)) end}
metric{name = "max", args = "series, [t0, t1]", met = "MET-2", help = "greatest value in a window",
   of = function(r, n, a, b) return max(window(r, n, a, b)) end}
metric{name = "steady", args = "series, t0, t1", met = "MET-2",
   help = "mean over the last 60 % of an interval in which the active flows do not change",
   of = function(r, n, a, b)
      local t0, t1 = seconds(a), seconds(b)
      return mean(window(r, n, t0 + 0.4 * (t1 - t0), t1))
   end}
metric{name = "jitter", args = "series, [t0, t1]", met = "MET-2",
   help = "standard deviation over mean in a window",
   of = function(r, n, a, b)
      local w = window(r, n, a, b)
      return sd(w) / mean(w)
   end}

metric{name = "recovery", args = "series, level, t0, span",
   help = "seconds from t0 until a series reaches a level, as a mean over `span`; all that is left if it never does",
   of = function(r, name, level, t0, span)
      local w = window(r, name, t0)
      local dt = r:series(name).dt
      local n = math.max(1, math.floor(seconds(span) / dt + 0.5))
      for i = 1, #w - n + 1 do
         local total = 0
         for k = i, i + n - 1 do total = total + w[k] end
         if total / n >= level then return (i - 1) * dt end
      end
      return #w * dt
   end}

-- Streams of one entry, or of one entry and one host ("U/3").
local function streams_of(run, name)
   local out = {}
   for _, s in ipairs(run:streams()) do
      if s.entry == name or s.entry .. "/" .. s.host == name then out[#out + 1] = s end
   end
   if #out == 0 then error("no traffic entry is called `" .. name .. "`", 0) end
   return out
end

metric{name = "rate", args = "entry", met = "MET-1",
   help = "Gbit/s delivered by a traffic entry after the warm-up, all its hosts together",
   of = function(r, n) return sum(map(streams_of(r, n), function(s) return s.gbps end)) end}
metric{name = "rates", args = "entry", returns = "list", met = "MET-1",
   help = "Gbit/s delivered by each stream of a traffic entry after the warm-up",
   of = function(r, n) return map(streams_of(r, n), function(s) return s.gbps end) end}
metric{name = "delay", args = "entry", met = "MET-12",
   help = "mean latency in ns of a traffic entry's packets after the warm-up",
   of = function(r, n)
      local packets, total = 0, 0
      for _, s in ipairs(streams_of(r, n)) do
         if s.packets > 0 then
            packets, total = packets + s.packets, total + s.packets * s.latency_ns
         end
      end
      if packets == 0 then no_value("no packet of `" .. n .. "` arrived after the warm-up") end
      return total / packets
   end}

local function received(run, wanted)
   local out = {}
   for _, n in ipairs(run:nodes()) do
      if wanted(n) then out[#out + 1] = n.received_gbps end
   end
   return out
end

metric{name = "hotspot_rate", args = "", met = "MET-3",
   help = "mean Gbit/s that hotspots of a forest receive",
   of = function(r)
      local rates = received(r, function(n) return n.hotspot > 0.5 end)
      if #rates == 0 then error("no host is a hotspot; only a forest has hotspots", 0) end
      return mean(rates)
   end}
metric{name = "other_rate", args = "", met = "MET-3",
   help = "mean Gbit/s that hosts which are not hotspots receive",
   of = function(r) return mean(received(r, function(n) return n.hotspot <= 0.5 end)) end}
metric{name = "received", args = "host", met = "MET-3",
   help = "Gbit/s that one host receives after the warm-up; its name or number, from 0",
   of = function(r, host)
      local nodes = r:nodes()
      if type(host) == "number" and nodes[host + 1] then return nodes[host + 1].received_gbps end
      for _, n in ipairs(nodes) do
         if n.name == host then return n.received_gbps end
      end
      error("no host is called `" .. tostring(host) .. "`", 0)
   end}
metric{name = "sent_by", args = "role", role = "V C B", returns = "list", met = "MET-3",
   help = "Gbit/s that each host of a role (V, C or B in a forest) sends after the warm-up; silent ones left out",
   of = function(r, role)
      local out = {}
      for _, n in ipairs(r:nodes()) do
         if n.role == role and n.sent_gbps > 0 then out[#out + 1] = n.sent_gbps end
      end
      return out
   end}
metric{name = "hosts_received", args = "", returns = "list", met = "MET-3",
   help = "Gbit/s that each host receives after the warm-up",
   of = function(r) return received(r, function() return true end) end}
metric{name = "total", args = "", met = "MET-4", help = "Gbit/s delivered to all hosts together",
   of = function(r) return r:scalar("throughput_total_gbps") end}
metric{name = "per_host", args = "", met = "MET-4", help = "mean Gbit/s delivered to a host",
   of = function(r) return r:scalar("throughput_gbps") end}

-- One list of values per name, over the same window.
local function windows(run, names, t0, t1)
   local out = {}
   for i, n in ipairs(names) do out[i] = window(run, n, t0, t1) end
   return out
end

metric{name = "samples", args = "{series...}, [t0, t1]", returns = "list", met = "MET-2",
   help = "the values of several series in a window, one list after the other",
   of = function(r, names, t0, t1)
      local out = {}
      for _, w in ipairs(windows(r, names, t0, t1)) do
         for _, v in ipairs(w) do out[#out + 1] = v end
      end
      return out
   end}
metric{name = "treatment_variation", args = "{series...}, [t0, t1]", met = "MET-7",
   help = "variance over time of the gap between the best and the worst treated contributor",
   of = function(r, names, t0, t1)
      local all, gap = windows(r, names, t0, t1), {}
      for i = 1, #all[1] do
         local low, high = math.huge, -math.huge
         for _, w in ipairs(all) do
            low, high = math.min(low, w[i]), math.max(high, w[i])
         end
         if low > 0 then gap[#gap + 1] = high - low end
      end
      return variance(gap)
   end}
metric{name = "settled", args = "{series...}, t0, t1, ratio, span", met = "MET-8",
   help = "seconds after t0 from which, until t1, no flow's mean over a span exceeds another's by the ratio",
   of = function(r, names, t0, t1, ratio, span)
      local all, dt = windows(r, names, t0, t1), r:info().sample
      local n = math.max(1, math.floor(seconds(span) / dt + 0.5))
      local total, last = {}, 0
      for i = 1, #all[1] do
         local low, high = math.huge, 0
         for k, w in ipairs(all) do
            total[k] = (total[k] or 0) + w[i] - (i > n and w[i - n] or 0)
            low, high = math.min(low, total[k]), math.max(high, total[k])
         end
         if i >= n and high > ratio * low then last = i end
      end
      return math.max(last, n) * dt -- a mean over a span is not known sooner
   end}
metric{name = "share", args = "series, {series...}, [t0, t1]", met = "MET-8",
   help = "a flow's part of what all named flows get",
   of = function(r, name, names, t0, t1)
      local all = 0
      for _, n in ipairs(names) do all = all + mean(window(r, n, t0, t1)) end
      return mean(window(r, name, t0, t1)) / all
   end}
metric{name = "normalised", args = "link_gbps, [t0, t1]", met = "MET-9, MET-17",
   help = "delivered rate of the network over hosts times link rate, in a window",
   of = function(r, link, t0, t1)
      return mean(window(r, "network/throughput", t0, t1)) / (r:info().hosts * link)
   end}
metric{name = "per_port", args = "series, link_gbps", returns = "list", met = "MET-9",
   help = "a series of the whole network over hosts times link rate",
   of = function(r, name, link)
      local s = r:series(name)
      local scale = 1 / (r:info().hosts * link)
      for i = 1, #s do s[i] = s[i] * scale end
      return s
   end}
-- What hosts take in, bin by bin; needs `run.observe: received/all`.
local function received_bins(run, except)
   local out = {}
   for _, n in ipairs(run:nodes()) do
      if n.name ~= except then out[#out + 1] = run:series("received/" .. n.name) end
   end
   return out
end

metric{name = "received_series", args = "part, gbps, [except]", part = "mean min max", returns = "list", met = "MET-9",
   help = "over time: mean, min or max of what hosts take in, over so many Gbit/s; without host `except`",
   of = function(r, part, gbps, except)
      local hosts = received_bins(r, except)
      if #hosts == 0 then error("no host is left", 0) end
      local pick = part == "min" and min or part == "max" and max or mean
      local out = hosts[1]
      for i = 1, #out do
         out[i] = pick(map(hosts, function(s) return s[i] end)) / gbps
      end
      return out
   end}
metric{name = "latency", args = "[part]", part = "mean min p50 p99 max", met = "MET-12",
   help = "ns from generation to delivery after the warm-up; part: mean (default), min, p50, p99, max",
   of = function(r, part) return r:scalar("latency_ns." .. (part or "mean")) end}
metric{name = "accepted", args = "link_gbps", met = "MET-13",
   help = "delivered rate per host over the link rate (phits per node and cycle)",
   of = function(r, link) return r:scalar("throughput_gbps") / link end}

local function port(run, name)
   for _, p in ipairs(run:ports()) do
      if p.name == name or p.name .. " > " .. p.to == name then return p end
   end
   error("no port is called `" .. name .. "`", 0)
end

metric{name = "utilisation", args = "port", help = "share of time that a port sends, after the warm-up",
   of = function(r, name) return port(r, name).utilisation end}
metric{name = "queue", args = "port", help = "mean bytes waiting for a port, after the warm-up",
   of = function(r, name) return port(r, name).mean_queue_bytes end}
-- The switch a port belongs to; nil for a host's port.
local function switch_of(port_name) return string.match(port_name, "^(.*)%.%d+$") end

-- Neighbours of every switch: name -> {hosts = n, to = {switch, ...}}. A host is what the table of
-- nodes says; its port has its name.
local function graph(run)
   local hosts, switches, order = {}, {}, {}
   for _, n in ipairs(run:nodes()) do hosts[n.name] = true end
   for _, p in ipairs(run:ports()) do
      if not hosts[p.name] then
         local name = switch_of(p.name)
         if not switches[name] then
            switches[name] = {hosts = 0, to = {}}
            order[#order + 1] = name
         end
         local s = switches[name]
         if hosts[p.to] then
            s.hosts = s.hosts + 1
         else
            s.to[#s.to + 1] = switch_of(p.to)
         end
      end
   end
   return switches, order, hosts
end

-- Links from the given switches to all others, breadth first.
local function distances(switches, from)
   local far, queue, at = {}, {}, 1
   for _, name in ipairs(from) do
      far[name] = 0
      queue[#queue + 1] = name
   end
   while queue[at] do
      local s = queue[at]
      for _, t in ipairs(switches[s].to) do
         if not far[t] then
            far[t] = far[s] + 1
            queue[#queue + 1] = t
         end
      end
      at = at + 1
   end
   return far
end

-- Tiers of switches: 1 has hosts, 2 is a link away from those, and so on.
local function tier_map(run)
   local switches, order = graph(run)
   local leaves = {}
   for _, name in ipairs(order) do
      if switches[name].hosts > 0 then leaves[#leaves + 1] = name end
   end
   local far = distances(switches, leaves)
   for name in pairs(far) do far[name] = far[name] + 1 end
   return far, switches, order
end

metric{name = "cables", args = "", help = "cables between switches; both directions are one cable",
   of = function(r)
      local switches, order = graph(r)
      local ends, both = 0, {}
      for _, name in ipairs(order) do
         for _, t in ipairs(switches[name].to) do
            ends = ends + 1
            both[name .. ">" .. t] = true
         end
      end
      local pairs_seen = 0
      for key in pairs(both) do
         local a, b = string.match(key, "^(.*)>(.*)$")
         if both[b .. ">" .. a] then pairs_seen = pairs_seen + 1 end
      end
      return pairs_seen > 0 and ends / 2 or ends
   end}
metric{name = "diameter", args = "",
   help = "links between the two switches with hosts that are farthest apart, by the shortest way",
   of = function(r)
      local switches, order = graph(r)
      local most = 0
      for _, a in ipairs(order) do
         if switches[a].hosts > 0 then
            local far = distances(switches, {a})
            for _, b in ipairs(order) do
               if switches[b].hosts > 0 then most = math.max(most, far[b] or math.huge) end
            end
         end
      end
      return most
   end}
metric{name = "tiers", args = "what", what = "switches up down ports", returns = "list",
   help = "per tier of a tree, from the leaves up: its switches, links up, links down, or most ports",
   of = function(r, what)
      local tier, switches, order = tier_map(r)
      local out = {}
      for _, name in ipairs(order) do
         local t, s = tier[name], switches[name]
         local up, down = 0, s.hosts
         for _, n in ipairs(s.to) do
            if tier[n] > t then up = up + 1 else down = down + 1 end
         end
         while #out < t do out[#out + 1] = 0 end
         if what == "ports" then out[t] = math.max(out[t], up + down)
         else out[t] = out[t] + (what == "up" and up or what == "down" and down or 1) end
      end
      return out
   end}
metric{name = "tier_of", args = "port", help = "the tier of the switch that a port belongs to",
   of = function(r, name)
      local tier = tier_map(r)
      local switch = switch_of(string.match(name, "^(%S*)"))
      if not tier[switch] then error("no port of a switch is called `" .. name .. "`", 0) end
      return tier[switch]
   end}
metric{name = "busy_switches", args = "tier", returns = "list",
   help = "the names of the switches of a tier that send anything after the warm-up",
   of = function(r, wanted)
      local tier = tier_map(r)
      local out, seen, known = {}, {}, false
      for _, t in pairs(tier) do known = known or t == wanted end
      if not known then error("no switch is in tier " .. wanted, 0) end
      for _, p in ipairs(r:ports()) do
         local s = switch_of(p.name)
         if s and tier[s] == wanted and p.utilisation > 0 and not seen[s] then
            seen[s] = true
            out[#out + 1] = s
         end
      end
      return out
   end}
metric{name = "hops", args = "", help = "links that a packet passes on average, hosts' links included",
   of = function(r) return r:info().packet_hops / r:scalar("packets_injected") end}
metric{name = "held", args = "gbps", returns = "list", met = "MET-18",
   help = "the names of hosts that send, but less than so many Gbit/s",
   of = function(r, gbps)
      local out = {}
      for _, n in ipairs(r:nodes()) do
         if n.sent_gbps > 0 and n.sent_gbps < gbps then out[#out + 1] = n.name end
      end
      return out
   end}

-- Ports for which more than so many bytes wait on average, by switch.
local function waiting(run, bytes)
   local list, by_switch = {}, {}
   for _, p in ipairs(run:ports()) do
      local s = switch_of(p.name)
      if s and p.mean_queue_bytes > bytes then
         list[#list + 1] = p
         by_switch[s] = true
      end
   end
   return list, by_switch
end

metric{name = "roots", args = "bytes", returns = "list", met = "MET-18",
   help = "`port > far end` where more than so many bytes wait, none waits behind, and the link is in use",
   of = function(r, bytes)
      local list, by_switch = waiting(r, bytes)
      local out = {}
      for _, p in ipairs(list) do
         local next_switch = switch_of(p.to)
         -- Packets may also wait for an idle link, behind others in a shared queue: no root.
         if p.utilisation > 0.75 and not (next_switch and by_switch[next_switch]) then
            out[#out + 1] = p.name .. " > " .. p.to
         end
      end
      return out
   end}
-- The ports that lead to a switch or host. Every one has such ports, so a name without is wrong.
local function leading_to(run, node)
   local out = {}
   for _, p in ipairs(run:ports()) do
      if p.to == node or switch_of(p.to) == node then out[#out + 1] = p end
   end
   if #out == 0 then error("no switch or host is called `" .. node .. "`", 0) end
   return out
end

metric{name = "ports_to", args = "node, bytes", met = "MET-18",
   help = "ports that lead to a switch or host and for which more than so many bytes wait on average",
   of = function(r, node, bytes)
      local n = 0
      for _, p in ipairs(leading_to(r, node)) do
         if p.mean_queue_bytes > bytes then n = n + 1 end
      end
      return n
   end}
metric{name = "tree_switches", args = "bytes", met = "MET-18",
   help = "switches with a port for which more than so many bytes wait on average",
   of = function(r, bytes)
      local _, by_switch = waiting(r, bytes)
      local n = 0
      for _ in pairs(by_switch) do n = n + 1 end
      return n
   end}
metric{name = "peak", args = "switch, node", met = "MET-18",
   help = "most bytes that waited, at samples, for the ports of a switch that lead to a switch or host",
   of = function(r, name, node)
      local most
      for _, p in ipairs(leading_to(r, node)) do
         if switch_of(p.name) == name then most = math.max(most or 0, p.max_queue_bytes) end
      end
      return most or error("no port of `" .. name .. "` leads to `" .. node .. "`", 0)
   end}
metric{name = "peaks_to", args = "node", returns = "list", met = "MET-18",
   help = "most bytes that waited, at samples, for each switch port that leads to a switch or host; falling",
   of = function(r, node)
      local out = {}
      for _, p in ipairs(leading_to(r, node)) do
         if switch_of(p.name) then out[#out + 1] = p.max_queue_bytes end
      end
      table.sort(out, function(a, b) return a > b end)
      return out
   end}
metric{name = "tree", args = "bytes", returns = "list", met = "MET-18",
   help = "the names of switch ports for which more than so many bytes wait on average",
   of = function(r, bytes)
      return map(waiting(r, bytes), function(p) return p.name end)
   end}

-- formulas of single papers -------------------------------------------------------------------------

-- Upper bound of normalised throughput if a share u of n hosts sends uniform traffic at full rate and
-- the rest keeps h hot hosts busy: the hot links are full, the others get their part of u.
function burst_bound(u, h, n) return (u * (n - h) + h) / n end

-- Factor that a notification with feedback fb leaves of a rate or probability (QCN).
function qcn_factor(fb, lf) return 1 - lf * math.abs(fb) end

-- Notifications with feedback fb that bring a value from 1 to below `target`.
function qcn_steps(fb, lf, target)
   local value, n = 1, 0
   while value >= target do
      value, n = value * qcn_factor(fb, lf), n + 1
   end
   return n
end

-- Max-min fair rates. flows: {name = {link, ...}}, capacity: {link = rate}. All rates rise together;
-- a flow stops where one of its links is full.
function max_min(flows, capacity)
   local rate, left, open = {}, {}, {}
   for link, c in pairs(capacity) do left[link] = c end
   for name in pairs(flows) do
      rate[name], open[name] = 0, true
   end
   while next(open) do
      local users = {}
      for name in pairs(open) do
         for _, link in ipairs(flows[name]) do users[link] = (users[link] or 0) + 1 end
      end
      local step = math.huge
      for link, n in pairs(users) do step = math.min(step, left[link] / n) end
      for name in pairs(open) do rate[name] = rate[name] + step end
      for link, n in pairs(users) do left[link] = left[link] - n * step end
      for name in pairs(open) do
         for _, link in ipairs(flows[name]) do
            if left[link] < 1e-9 * capacity[link] then open[name] = nil end
         end
      end
   end
   return rate
end

-- MET-19: cells of a list of destinations in a CAM; an entry is as wide as a host's number.
function address_cells(entries, hosts) return entries * math.ceil(math.log(hosts, 2)) end

-- networks ------------------------------------------------------------------------------------------

-- Ports of every switch: {{name, to...}...} in the order of the table of ports, hosts left out.
local function switch_table(run)
   local host, list, by_name = {}, {}, {}
   for _, n in ipairs(run:nodes()) do host[n.name] = true end
   for _, p in ipairs(run:ports()) do
      local name = not host[p.name] and string.match(p.name, "^(.*)%.%d+$")
      if name then
         local s = by_name[name]
         if not s then
            s = {name = name, ports = 0, hosts = {}, to = {}}
            by_name[name] = s
            list[#list + 1] = s
         end
         s.ports = s.ports + 1
         if host[p.to] then s.hosts[#s.hosts + 1] = p.to
         else s.to[#s.to + 1] = string.match(p.to, "^(.*)%.%d+$") end
      end
   end
   return list, by_name
end

metric{name = "switch_ports", args = "", help = "most ports in use at one switch",
   of = function(r)
      return max(map(switch_table(r), function(s) return s.ports end))
   end}
metric{name = "neighbours", args = "", returns = "list",
   help = "other switches that each switch has a cable to",
   of = function(r)
      return map(switch_table(r), function(s) return #s.to end)
   end}
metric{name = "group_switches", args = "",
   help = "switches of the first group of a dragonfly: the first one and all that share a neighbour with it",
   of = function(r)
      local list, by_name = switch_table(r)
      local near, n = {}, 1
      for _, t in ipairs(list[1].to) do near[t] = true end
      for t in pairs(near) do
         for _, far in ipairs(by_name[t].to) do
            if near[far] then
               n = n + 1
               break
            end
         end
      end
      return n
   end}
metric{name = "injected_by_switch", args = "[n]", returns = "list", met = "MET-15",
   help = "Gbit/s that a host sends on average, for each of the first n switches that have hosts",
   of = function(r, n)
      local sent, out = {}, {}
      for _, node in ipairs(r:nodes()) do sent[node.name] = node.sent_gbps end
      for _, s in ipairs(switch_table(r)) do
         if #s.hosts > 0 and #out < (n or math.huge) then
            out[#out + 1] = mean(map(s.hosts, function(h) return sent[h] end))
         end
      end
      return out
   end}
metric{name = "unevenness", args = "what", what = "utilisation mean_queue_bytes",
   help = "standard deviation over mean of links between switches: utilisation, or mean_queue_bytes",
   of = function(r, what)
      local host, list = {}, {}
      for _, n in ipairs(r:nodes()) do host[n.name] = true end
      for _, p in ipairs(r:ports()) do
         if not host[p.name] and not host[p.to] then list[#list + 1] = p[what] end
      end
      return sd(list) / mean(list)
   end}
metric{name = "scaled", args = "series, factor", returns = "list",
   help = "a series in other units: each value times the factor",
   of = function(r, name, factor)
      local s = r:series(name)
      local out = map(s, function(v) return v * factor end)
      out.dt = s.dt
      return out
   end}
metric{name = "streams_of", args = "entry", help = "number of hosts that send for a traffic entry",
   of = function(r, n) return #streams_of(r, n) end}
metric{name = "received_mean", args = "first, last",
   help = "mean Gbit/s that hosts `first` to `last` receive after the warm-up; numbers from 0",
   of = function(r, first, last)
      local nodes, list = r:nodes(), {}
      for i = first, last do
         if not nodes[i + 1] then error("no host has number " .. i, 0) end
         list[#list + 1] = nodes[i + 1].received_gbps
      end
      return mean(list)
   end}

return catalogue, by_name
