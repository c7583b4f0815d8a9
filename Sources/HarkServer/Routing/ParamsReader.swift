import HarkWire

/// Reads an object of the protocol from the parameters of a request. Throws the first fault.
struct ParamsReader: MemberMap {
    private let params: Params
    /// The members whose faults are told first.
    private let first: [String]
    private var fault: WireError?
    /// The place of the fault's member among them.
    private var rank = Int.max

    private init(_ params: Params, first: [String] = []) { (self.params, self.first) = (params, first) }

    static func read<Request: WireMethod>(_ type: Request.Type, _ params: Params) throws(WireError) -> Request {
        var reader = ParamsReader(params, first: Request.checkedFirst)
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
        if params[member.name.description]?.isNull == true,
            member.presence == .given || member.presence == .always && type().read(.null) != nil
        {
            value = AnyJSON(.null)
        } else {
            value = read(member, type).map { AnyJSON($0) }
        }
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

    private mutating func read<Value>(_ member: Member, _ type: () -> MemberType<Value>) -> Value? {
        let name = member.name.description
        let rank = first.firstIndex(of: name) ?? .max
        guard fault == nil || rank < self.rank else { return nil }
        do throws(WireError) {
            return member.presence == .always ? try params.required(name, type()) : try params.read(name, type())
        } catch {
            (fault, self.rank) = (error, rank)
            return nil
        }
    }
}
