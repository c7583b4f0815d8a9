extension MQTTClient {
    package struct Options: Sendable {
        package var address: MQTTAddress
        /// A broker has one connection for each: who comes with the same one takes the place of the other.
        package var clientId: String
        package var userName: String?
        package var password: String?
        /// Authorities to trust instead of the system's: a file of certificates (PEM).
        package var authoritiesFile: String?
        /// A certificate of our own and its key (PEM, without a password); both or none.
        package var certificateFile: String?
        package var keyFile: String?
        /// What the broker publishes once we are gone without goodbye, with a quality of service of 1.
        package var will: Message?
        /// The broker hears from us at least that often; 0 or from 5 on. It may want less.
        package var keepAliveSeconds = 600
        /// How long connecting may take, from looking the host up to the broker's yes.
        package var connectSeconds = 10.0
        /// The longest wait after a first failure; each further one doubles it, up to a minute.
        package var firstRetrySeconds = 0.1
        /// A message with more is dropped; a connection that brings one with much more is ended.
        package var maxPayloadBytes = 16 << 20
        /// The name to load libmosquitto by.
        package var library = "libmosquitto.so.1"

        package init(address: MQTTAddress, clientId: String) {
            self.address = address
            self.clientId = clientId
        }
    }

    package struct Message: Sendable, Equatable {
        package var topic: String
        package var payload: [UInt8]
        /// Kept by the broker for whoever subscribes later; of what comes: such a message, not one that is published just now.
        package var isRetained: Bool

        package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
            self.topic = topic
            self.payload = payload
            self.isRetained = isRetained
        }
    }

    package enum Event: Sendable {
        case connected
        /// There is no connection, be it that one has ended or that none came about; the next try follows by itself.
        case disconnected(MQTTFailure)
        /// The broker has granted these.
        case subscribed([String])
        /// The broker does not let us subscribe to a topic, or (quality of service 1 and MQTT 5) publish to it.
        case refused(topic: String, reason: String)
        /// The broker has taken a message (quality of service 1) of so many bytes.
        case confirmed(topic: String, bytes: Int)
        /// The broker takes no message of so many bytes (quality of service 1 and MQTT 5); another time it may end the connection
        /// over one, or not tell.
        case tooLong(topic: String, bytes: Int)
        case message(Message)
        /// A message came that is too long to be taken.
        case dropped(topic: String, reason: String)
        /// Nothing waits to be written any more; told only after something has.
        case drained
    }
}
