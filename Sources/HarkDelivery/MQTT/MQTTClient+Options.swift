extension MQTTClient {
    package struct Options: Sendable {
        package var address: MQTTAddress
        /// The client id. A broker keeps one connection per id: a new one replaces the previous one.
        package var clientId: String
        package var userName: String?
        package var password: String?
        /// A file of certificates (PEM) to trust instead of the system's authorities.
        package var authoritiesFile: String?
        /// A client certificate and its key (PEM, without a password); both or none.
        package var certificateFile: String?
        package var keyFile: String?
        /// The last will, which the broker publishes with QoS 1 after an unclean end.
        package var will: Message?
        /// The maximum time without a packet to the broker; 0 for none, else at least 5. The broker may request less.
        package var keepAliveSeconds = 600
        /// The timeout of connecting, from resolving the host to the broker's acceptance.
        package var connectSeconds = 10.0
        /// The maximum wait after the first failure; each further failure doubles it, up to a minute.
        package var firstRetrySeconds = 0.1
        /// The maximum payload. A longer message is dropped; one that is much longer ends the connection.
        package var maxPayloadBytes = 16 << 20
        /// The name of the libmosquitto library.
        package var library = "libmosquitto.so.1"

        package init(address: MQTTAddress, clientId: String) {
            self.address = address
            self.clientId = clientId
        }
    }

    package struct Message: Sendable, Equatable {
        package var topic: String
        package var payload: [UInt8]
        /// Whether the broker keeps the message for later subscribers; of received messages: whether it was kept.
        package var isRetained: Bool

        package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
            self.topic = topic
            self.payload = payload
            self.isRetained = isRetained
        }
    }

    package enum Event: Sendable {
        case connected
        /// A connection has ended or failed; the next attempt follows automatically.
        case disconnected(MQTTFailure)
        /// The broker has accepted these subscriptions.
        case subscribed([String])
        /// The broker refuses a subscription to a topic, or (QoS 1 and MQTT 5) a message to it.
        case refused(topic: String, reason: String)
        /// The broker has accepted a message (QoS 1) of this length.
        case confirmed(topic: String, bytes: Int)
        /// The broker refuses a message of this length (QoS 1 and MQTT 5); in other cases it may end the connection, or
        /// not report it.
        case tooLong(topic: String, bytes: Int)
        case message(Message)
        /// A received message was too long.
        case dropped(topic: String, reason: String)
        /// Everything is written; sent only after data had to wait.
        case drained
    }
}
