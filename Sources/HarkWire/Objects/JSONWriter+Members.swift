/// Writes members into the open object. A missing value is left out, or written as null.
extension JSONWriter: MemberMap {
    package mutating func text(_ member: Member, _ type: () -> MemberType<String>, _ value: inout String?) {
        if let value {
            key(member.name)
            string(value)
        } else {
            lack(member)
        }
    }

    package mutating func flag(_ member: Member, _ value: inout Bool?) {
        if let value {
            key(member.name)
            bool(value)
        } else {
            lack(member)
        }
    }

    package mutating func integer(_ member: Member, _ type: () -> MemberType<Int64>, _ value: inout Int64?) {
        if let value {
            key(member.name)
            int(value)
        } else {
            lack(member)
        }
    }

    package mutating func span(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Int64?) {
        guard let value else { return lack(member) }
        key(member.name)
        if value % 1_000 == 0 { int(value / 1_000) } else { double(Double(value) / 1_000) }
    }

    package mutating func time(_ member: Member, _ value: inout Timestamp?) {
        if let value {
            key(member.name)
            timestamp(value)
        } else {
            lack(member)
        }
    }

    package mutating func json(_ member: Member, _ type: () -> MemberType<JSONValue>, _ value: inout AnyJSON?) {
        guard let value else { return lack(member) }
        key(member.name)
        switch value.content {
        case .value(let value): self.value(value)
        case .text(let text): raw(text)
        }
    }

    package mutating func object<Object: WireObject>(_ member: Member, _ value: inout Object?) {
        guard value != nil else { return lack(member) }
        key(member.name)
        beginObject()
        value?.map(&self)
        endObject()
    }

    package mutating func list<Object: WireObject>(_ member: Member, _ values: inout [Object]?) {
        guard let values else { return lack(member) }
        key(member.name)
        beginArray()
        for var value in values {
            beginObject()
            value.map(&self)
            endObject()
        }
        endArray()
    }

    package mutating func number(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Double?) {
        guard let value else { return lack(member) }
        key(member.name)
        double(value)
    }

    package mutating func strings(
        _ member: Member, _ type: () -> MemberType<[String]>, _ values: inout [String]?
    ) {
        guard let values else { return lack(member) }
        key(member.name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    package mutating func part<Object: WireObject>(_ value: inout Object?) { value?.map(&self) }

    private mutating func lack(_ member: Member) {
        guard member.presence == .orNull || member.presence == .nullOrAbsent && !member.isLeftOut else { return }
        key(member.name)
        null()
    }
}
