-- The metrics of the papers, each implemented once, for expressions in study files.
--
-- A run answers raw questions by itself (implemented in C): series(name), scalar(name), scalars(prefix), streams(),
-- nodes(), ports(), flows(), info(), farthest_switches(). What is defined here with metric{...} becomes a further
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
