-- Numbers, lists and formulas: functions that need no run.

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

-- Equal values share a rank; or, with other values, they are ordered by those, or (sign -1) against them.
local function ranks(list, by, sign)
   local order, rank = {}, {}
   for i = 1, #list do order[i] = i end
   local function before(a, b)
      if list[a] ~= list[b] then return list[a] < list[b] end
      if by and by[a] ~= by[b] then return sign * by[a] < sign * by[b] end
      return a < b
   end
   table.sort(order, before)
   if by then
      for i, k in ipairs(order) do rank[k] = i end
      return rank
   end
   local i = 1
   while i <= #order do
      local j = i
      while j < #order and list[order[j + 1]] == list[order[i]] do j = j + 1 end
      for k = i, j do rank[order[k]] = (i + j) / 2 end
      i = j + 1
   end
   return rank
end

local function spearman(a, b)
   local ma, mb, ab, aa, bb = mean(a), mean(b), 0, 0, 0
   for i = 1, #a do
      ab = ab + (a[i] - ma) * (b[i] - mb)
      aa = aa + (a[i] - ma) ^ 2
      bb = bb + (b[i] - mb) ^ 2
   end
   return aa > 0 and bb > 0 and ab / math.sqrt(aa * bb) or 0
end

-- Spearman's rank correlation; rule: trend. Equal ys are no trend: they count as if they were the wrong way
-- round, down to 0.
function trend(xs, ys)
   local a = ranks(xs)
   local against, along = spearman(a, ranks(ys, xs, -1)), spearman(a, ranks(ys, xs, 1))
   return against > 0 and against or along < 0 and along or 0
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
