-- Metrics of ports, switches and the shape of the network.

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
   of = function(r) return r:farthest_switches() end} -- lua_fabric.c answers
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
-- {port name = notifications}, or {port name > host name = notifications}.
local function told(run, addressed)
   local out = {}
   for name, n in pairs(run:scalars("notifications_at/")) do
      if (string.find(name, ">", 1, true) ~= nil) == addressed then
         out[string.sub(name, #"notifications_at/" + 1)] = n
      end
   end
   return out
end

metric{name = "notifications", args = "port, [first, last]",
   help = "made by a switch about a port, or all its ports (s3 for s3.0, s3.1, ...); to hosts of these numbers " ..
      "only: with run.observe notices/all; whole run",
   of = function(r, name, first, last)
      local known, number, n = false, {}, 0
      for _, p in ipairs(r:ports()) do known = known or p.name == name or switch_of(p.name) == name end
      if not known then error("no port or switch is called `" .. name .. "`", 0) end
      if first and not last then error("notifications: last is missing; give a number", 0) end
      for i, h in ipairs(r:nodes()) do number[h.name] = i - 1 end
      local all = told(r, first ~= nil)
      if first and next(all) == nil and next(told(r, false)) ~= nil then
         error("notifications: no addressees in this run; set run.observe to notices/all", 0)
      end
      for key, packets in pairs(all) do
         local port, host = string.match(key, "^([^>]*)>?(.*)$")
         local inside = not first or number[host] >= first and number[host] <= last
         if inside and (port == name or switch_of(port) == name) then n = n + packets end
      end
      return n
   end}
metric{name = "tree", args = "bytes", returns = "list", met = "MET-18",
   help = "the names of switch ports for which more than so many bytes wait on average",
   of = function(r, bytes)
      return map(waiting(r, bytes), function(p) return p.name end)
   end}

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
      out.dt, out.cycles = s.dt, s.cycles
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
