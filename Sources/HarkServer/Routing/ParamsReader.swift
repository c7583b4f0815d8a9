import HarkWire

/// Reads an object of the protocol from the parameters of a request. Throws the first fault.
struct ParamsReader: MemberMap {
    private let params: Params
    private var fault: WireError?

    private init(_ params: Params) { self.params = params }

    static func read<Request: WireMethod>(_ type: Request.Type, _ params: Params) throws(WireError) -> Request {
        var reader = ParamsReader(params)
        var request = Request()
        request.map(&reader)
        if let fault = reader.fault { throw fault }
        return request
    }

    mutating func text(_ member: Member, _ type: () -> MemberType<String>, _ value: inout String?) {
        value = read(member, type)
    }

    mutating func flag(_ member: Member, _ value: inout Bool?) { value = read(member) { .bool } }

    mutating func integer(_ member: Member, _ type: () -> MemberType<Int64>, _ value: inout Int64?) {
        value = read(member, type)
    }

    mutating func span(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Int64?) {
        value = read(member, type).map { Int64(($0 * 1_000).rounded()) }
    }

    mutating func time(_ member: Member, _ value: inout Timestamp?) { value = read(member) { .time } }

    mutating func json(_ member: Member, _ type: () -> MemberType<JSONValue>, _ value: inout AnyJSON?) {
        let takesNull = member.presence == .given || member.presence == .always && type().read(.null) != nil
        value = read(member, null: takesNull ? JSONValue.null : Optional.none, type).map { AnyJSON($0) }
        value?.path = Params.path(member.name.description)
    }

    mutating func object<Object: WireObject>(_ member: Member, _ value: inout Object?) {
        guard let object = read(member, { .object }) else { return }
        var reader = ParamsReader(Params(object: object))
        var read = Object()
        read.map(&reader)
        value = read
        fault = fault ?? reader.fault
    }

    mutating func list<Object: WireObject>(_ member: Member, _ values: inout [Object]?) {
        fault = fault ?? WireError(.internalError, "no method takes a list of objects yet")
    }

    mutating func number(_ member: Member, _ type: () -> MemberType<Double>, _ value: inout Double?) {
        value = read(member, type)
    }

    mutating func strings(_ member: Member, _ type: () -> MemberType<[String]>, _ values: inout [String]?) {
        values = read(member, type)
    }

    mutating func part<Object: WireObject>(_ value: inout Object?) {
        var object = Object()
        object.map(&self)
        value = object
    }

    /// - Parameter null: What null means; nil: the same as absence.
    private mutating func read<Value>(
        _ member: Member, null: Value? = nil, _ type: () -> MemberType<Value>
    ) -> Value? {
        guard fault == nil else { return nil }
        let name = member.name.description
        do throws(WireError) {
            let value = try params.read(name, type(), null: null)
            if value == nil, member.presence == .always { throw Params.missing(name, type().words) }
            return value
        } catch {
            fault = error
            return nil
        }
    }
}
