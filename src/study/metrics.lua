-- The metrics of the papers, each implemented once, for expressions in study files.
--
-- A run answers raw questions by itself (implemented in C): series(name), scalar(name), streams(),
-- nodes(), ports(), flows(), info(). What is defined here with metric{...} becomes a further
-- question; plain functions work on numbers and lists. `coppice list metrics` prints this table.
-- Times are text with a unit ("2 ms") or numbers of seconds.

local catalogue = {}
local by_name = {}

local function metric(m)
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

function min(list, ...)
   if type(list) ~= "table" then return math.min(list, ...) end
   return math.min(table.unpack(list))
end

function max(list, ...)
   if type(list) ~= "table" then return math.max(list, ...) end
   return math.max(table.unpack(list))
end

function map(list, f)
   local out = {}
   for i, v in ipairs(list) do out[i] = f(v) end
   return out
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

metric{name = "window", args = "series, t0, t1", returns = "list", met = "MET-1",
   help = "the values of a series (a traffic entry's name means its throughput) between two times",
   of = window}
metric{name = "mean", args = "series, t0, t1", met = "MET-2", help = "mean over a window",
   of = function(r, n, a, b) return mean(window(r, n, a, b)) end}
metric{name = "sd", args = "series, t0, t1", met = "MET-2", help = "standard deviation over a window",
   of = function(r, n, a, b) return sd(window(r, n, a, b)) end}
metric{name = "min", args = "series, t0, t1", met = "MET-2", help = "least value in a window",
   of = function(r, n, a, b) return min(window(r, n, a, b)) end}
metric{name = "max", args = "series, t0, t1", met = "MET-2", help = "greatest value in a window",
   of = function(r, n, a, b) return max(window(r, n, a, b)) end}
metric{name = "steady", args = "series, t0, t1", met = "MET-2",
   help = "mean over the last 60 % of an interval in which the active flows do not change",
   of = function(r, n, a, b)
      local t0, t1 = seconds(a), seconds(b)
      return mean(window(r, n, t0 + 0.4 * (t1 - t0), t1))
   end}
metric{name = "jitter", args = "series, t0, t1", met = "MET-2",
   help = "standard deviation over mean in a window",
   of = function(r, n, a, b)
      local w = window(r, n, a, b)
      return sd(w) / mean(w)
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
      if packets == 0 then error("no packet of `" .. n .. "` arrived after the warm-up", 0) end
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
   of = function(r) return mean(received(r, function(n) return n.hotspot > 0.5 end)) end}
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

metric{name = "treatment_variation", args = "{series...}, t0, t1", met = "MET-7",
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
metric{name = "share", args = "series, {series...}, t0, t1", met = "MET-8",
   help = "a flow's part of what all named flows get",
   of = function(r, name, names, t0, t1)
      local all = 0
      for _, n in ipairs(names) do all = all + mean(window(r, n, t0, t1)) end
      return mean(window(r, name, t0, t1)) / all
   end}
metric{name = "normalised", args = "link_gbps, t0, t1", met = "MET-9, MET-17",
   help = "delivered rate of the network over hosts times link rate, in a window",
   of = function(r, link, t0, t1)
      return mean(window(r, "network/throughput", t0, t1)) / (r:info().hosts * link)
   end}
metric{name = "latency", args = "[part]", met = "MET-12",
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
metric{name = "tree", args = "bytes", returns = "list", met = "MET-18",
   help = "the names of switch ports for which more than so many bytes wait on average",
   of = function(r, bytes)
      local out = {}
      for _, p in ipairs(r:ports()) do
         if p.mean_queue_bytes > bytes then out[#out + 1] = p.name end
      end
      return out
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
metric{name = "unevenness", args = "what",
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
      for i = first, last do list[#list + 1] = nodes[i + 1].received_gbps end
      return mean(list)
   end}

return catalogue, by_name
