-- Metrics of what streams and hosts have sent and received.


-- Seconds of a time that may be given in the cycles of a series' run.
local function time_in(s, t) return seconds(t, s.cycles and s.dt / s.cycles) end

-- The bins of a series that lie inside [t0, t1).
local function window(run, name, t0, t1)
   local s = run:series(name)
   local from = t0 and time_in(s, t0) or run:info().warmup
   local to = t1 and time_in(s, t1) or s.dt * #s
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
      local s = r:series(n)
      local t0, t1 = time_in(s, a), time_in(s, b)
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
      local s = r:series(name)
      local dt = s.dt
      local n = math.max(1, math.floor(time_in(s, span) / dt + 0.5))
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
      local n = math.max(1, math.floor(time_in(r:series(names[1]), span) / dt + 0.5))
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
