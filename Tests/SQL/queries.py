"""Statements made by chance: filters, groups, joins, windows, NULLs and types."""

from scene import APPS, NAMES, USERS


class Queries:
    def __init__(self, chance, numbers, sessions) -> None:
        self.chance = chance
        self.numbers = numbers
        self.sessions = sessions

    def one(self) -> str:
        shape = self.chance.choice([
            self.plain, self.plain, self.grouped, self.grouped, self.joined, self.windowed, self.distinct, self.union,
            self.nested, self.neighbours, self.logs, self.of_sessions, self.newest])
        return shape()

    # Pieces.

    def pick(self, *words):
        return self.chance.choice(words)

    def text(self, value) -> str:
        return "'" + str(value).replace("'", "''") + "'"

    def moment(self) -> str:
        day = f"2026-01-0{self.chance.randint(1, 6)}"
        clock = f"{self.chance.randint(0, 23):02}:{self.chance.randint(0, 59):02}"
        return self.text(self.pick(
            day, f"{day} {clock}", f"{day}T{clock}:30Z", f"{day} {clock}:15.5", "2026-01", f"{day}T{clock}:00.000Z", "zero",
            f"{day} {clock}:07.123"))

    def number(self) -> str:
        return str(self.pick(
            self.chance.choice(self.numbers), self.chance.choice(self.numbers), 0, -3, 9_223_372_036_854_775_807,
            -9_223_372_036_854_775_808, f"{self.chance.choice(self.numbers)}.5", "'7'", "NULL", "1e18"))

    def comparison(self) -> str:
        return self.pick("=", "<", "<=", ">", ">=", "<>")

    def condition(self, alias: str = "", depth: int = 0) -> str:
        a = alias
        made = self.chance.randint(0, 25)
        if depth < 2 and made < 5:
            left, right = self.condition(alias, depth + 1), self.condition(alias, depth + 1)
            return self.pick(f"({left} AND {right})", f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})")
        name = self.text(self.chance.choice(NAMES))
        user = self.chance.choice(USERS[:-1])
        return self.pick(
            f"{a}seq {self.comparison()} {self.number()}",
            f"{a}seq BETWEEN {self.number()} AND {self.number()}",
            f"{a}rowid > {self.chance.choice(self.numbers)}" if not a else f"{a}seq > 5",
            f"{a}name = {name}", f"{a}name = {name}", f"{a}name = {name} COLLATE NOCASE", f"{a}name > {name}",
            f"{a}name IN ({name}, 'tap', 'none')", f"{a}name GLOB 'door.*'", f"{a}name GLOB '*a?'", f"{a}name GLOB 'a[*]b'",
            f"{a}name LIKE 't%'", f"{a}name = 5", f"{a}name IS NULL", f"{a}name = ''", f"{a}name = NULL",
            f"{a}time {self.comparison()} {self.moment()}", f"{a}time {self.comparison()} {self.moment()}",
            f"{a}time BETWEEN {self.moment()} AND {self.moment()}", f"{a}time > 5",
            f"{a}user = {self.text(user)}", f"{a}user IS NULL", f"{a}user IS NOT NULL", f"{a}user IS {self.text(user)}",
            f"{a}user <> {self.text(user)}", f"{a}user = {self.text(user)} COLLATE NOCASE",
            f"{a}app = {self.text(self.chance.choice(APPS))}", f"{a}app IN ('shop', 'kiosk')", f"{a}app = {self.text('a' * 300)}",
            f"{a}session = {self.text(self.chance.choice(self.sessions))}", f"{a}session = 'no id'",
            f"{a}session = {self.text(self.chance.choice(self.sessions).upper())}",
            f"{a}session IN (SELECT id FROM sessions WHERE events > {self.chance.randint(0, 90)})",
            f"{a}amount {self.comparison()} {self.pick(3, 4.5, self.text('12'), self.text('pro'))}",
            f"{a}plan = 'pro'", f"{a}ok", f"NOT {a}ok", f"{a}n IS NULL", f'{a}"cart.total" > 2', f"typeof({a}amount) = 'real'",
            f"{a}properties ->> '$.n' > 5", f"{a}größe IS NOT NULL", f"{a}uid >= 0", f"length({a}plan) > 3")

    def value(self, alias: str = "") -> str:
        a = alias
        return self.pick(
            f"{a}seq", f"{a}name", f"{a}time", f"{a}user", f"{a}app", f"{a}session", f"{a}amount", f"{a}plan", f"{a}ok", f"{a}n",
            f'{a}"cart.total"', f"{a}properties", f"date({a}time)", f"strftime('%H', {a}time)", f"typeof({a}n)",
            f"{a}amount + 1", f"coalesce({a}user, 'nobody')", f"{a}properties ->> 'amount'", f"upper({a}name)", f"{a}größe",
            f"CASE WHEN {a}ok THEN 'yes' WHEN {a}ok = 0 THEN 'no' END")

    def values(self, alias: str = "", most: int = 4) -> str:
        return ", ".join(self.value(alias) for _ in range(self.chance.randint(1, most)))

    # Whole statements.

    def plain(self) -> str:
        limit = self.pick("", f" LIMIT {self.chance.randint(0, 30)}", f" LIMIT {self.chance.randint(1, 30)} OFFSET 7")
        return f"SELECT {self.values()} FROM events WHERE {self.condition()} ORDER BY seq{self.pick('', ' DESC')}{limit}"

    def newest(self) -> str:
        return (f"SELECT seq, {self.values()} FROM events WHERE {self.condition()} ORDER BY "
                f"{self.pick('seq DESC', 'time, seq', 'user, seq DESC', 'name DESC, seq', 'app, seq')} LIMIT 25")

    def grouped(self) -> str:
        key = self.pick("name", "user", "app", "plan", "date(time)", "ok", "typeof(amount)", "session", "time")
        having = self.pick("", f" HAVING count(*) > {self.chance.randint(1, 60)}")
        totals = self.pick(
            "count(*), sum(n)", "count(amount), min(time), max(time)", "max(seq), avg(n)", "count(DISTINCT user), total(amount)",
            "min(amount), max(plan)", "count(*) FILTER (WHERE ok)")
        return f"SELECT {key}, {totals} FROM events WHERE {self.condition()} GROUP BY 1{having}"

    def joined(self) -> str:
        join = self.pick("JOIN", "LEFT JOIN")
        return (f"SELECT {self.values('e.', 2)}, s.user, s.tier, s.events FROM events e {join} sessions s ON s.id = e.session "
                f"AND {self.pick('s.beta', 's.app = e.app', 's.user IS NOT NULL', 's.tier = 3', 'true')} "
                f"WHERE {self.condition('e.')} ORDER BY e.seq LIMIT 60")

    def windowed(self) -> str:
        function = self.pick(
            "row_number()", "rank()", "lag(seq)", "sum(n)", "count(*)", "first_value(name)", "max(amount)")
        order = "seq" if function != "rank()" else "name, seq"
        return (f"SELECT seq, {function} OVER (PARTITION BY {self.pick('user', 'name', 'app', 'session')} ORDER BY {order}) "
                f"FROM events WHERE {self.condition()} ORDER BY seq LIMIT 80")

    def distinct(self) -> str:
        return f"SELECT DISTINCT {self.values(most=2)} FROM events WHERE {self.condition()}"

    def union(self) -> str:
        kind = self.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT")
        return (f"SELECT name, user FROM events WHERE {self.condition()} {kind} "
                f"SELECT name, user FROM events WHERE {self.condition()}")

    def nested(self) -> str:
        return self.pick(
            f"SELECT count(*) FROM events WHERE seq IN (SELECT max(seq) FROM events WHERE {self.condition()} GROUP BY session)",
            f"SELECT id, (SELECT count(*) FROM events e WHERE e.session = sessions.id AND {self.condition('e.')}) FROM sessions",
            f"WITH big AS (SELECT * FROM events WHERE {self.condition()}) SELECT count(*), min(seq), max(seq) FROM big",
            f"SELECT id FROM sessions s WHERE EXISTS (SELECT 1 FROM events e WHERE e.session = s.id AND {self.condition('e.')})",
            f"SELECT max(seq) FROM events WHERE {self.condition()}",
            "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM logs), (SELECT count(*) FROM sessions)",
            f"SELECT seq, level FROM logs UNION ALL SELECT seq, name FROM events WHERE {self.condition()}",
            f"SELECT count(*) FROM (SELECT name FROM events WHERE {self.condition()} ORDER BY seq LIMIT 100)")

    def neighbours(self) -> str:
        low = self.chance.choice(self.numbers)
        return (f"SELECT a.seq, b.seq FROM events a JOIN events b ON b.session = a.session AND b.seq > a.seq "
                f"WHERE a.seq BETWEEN {low} AND {low + 30} AND b.seq < {low + 60} AND {self.condition('a.')}")

    def logs(self) -> str:
        level = self.pick("info", "warning", "error", "messages", "none")
        condition = self.pick(
            f"level = '{level}'", f"level <> '{level}'", "category IS NOT NULL", "code > 3", "message LIKE 'f%'",
            f"time > {self.moment()}", f"seq > {self.number()}", "app = 'shop'", f"level IN ('error', '{level}')")
        return self.pick(
            f"SELECT level, count(*), sum(code) FROM logs WHERE {condition} GROUP BY level",
            f"SELECT seq, level, message, category FROM logs WHERE {condition} ORDER BY seq{self.pick('', ' DESC')} LIMIT 40",
            f"SELECT l.seq, s.tier FROM logs l JOIN sessions s ON s.id = l.session WHERE {condition.replace('seq', 'l.seq').replace('app', 'l.app')} ORDER BY l.seq")

    def of_sessions(self) -> str:
        condition = self.pick(
            "user = 'ada'", "user IS NULL", "app = 'shop'", f"id = {self.text(self.chance.choice(self.sessions))}", "ended IS NULL",
            "tier = 'pro'", "events > 50", "beta", "user = 'ada' AND app <> 'kiosk'", "id = 'none'",
            f"id IN ({self.text(self.chance.choice(self.sessions))}, {self.text(self.chance.choice(self.sessions))})",
            "user = 'ada' OR user = 'bob' OR user IS NULL")
        return self.pick(
            f"SELECT id, user, app, events, tier, metadata FROM sessions WHERE {condition}",
            f"SELECT app, count(*), sum(events), max(started) FROM sessions WHERE {condition} GROUP BY app",
            f"SELECT user, sum(events) FROM sessions WHERE {condition} GROUP BY user")
