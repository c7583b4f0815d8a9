"""Reads what is sent to an OpenTelemetry collector as its protocol demands: by the published protocol buffers.

Their Python modules are made by protoc from Tests/Fixtures/otlp; the folder they are in is on the path.
"""

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2


def request(body):
    """A request in the JSON mapping of protocol buffers. What the schema does not know is an error."""
    return json_format.Parse(body, logs_service_pb2.ExportLogsServiceRequest(), ignore_unknown_fields=False)


def attributes(pairs):
    found = {}
    for pair in pairs:
        assert pair.key not in found, f"{pair.key} is there twice"
        kind = pair.value.WhichOneof("value")
        assert kind in ("string_value", "bool_value", "int_value", "double_value"), kind
        value = getattr(pair.value, kind)
        # JSON of the test's own: numbers that it may not round are texts, with their kind.
        found[pair.key] = [kind, value if isinstance(value, (str, bool)) else repr(value)]
    return found


def decoded(body):
    """Every log record with what it belongs to, as plain values."""
    records = []
    for resource in request(body).resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                records.append(
                    {
                        "resource": attributes(resource.resource.attributes),
                        "scope": [scope.scope.name, scope.scope.version],
                        "time": str(record.time_unix_nano),
                        "observed": str(record.observed_time_unix_nano),
                        "severity": [record.severity_number, record.severity_text],
                        "event": record.event_name,
                        "body": record.body.string_value,
                        "attributes": attributes(record.attributes),
                    }
                )
    return records


def entries(body):
    for record in decoded(body):
        properties = record["attributes"]
        yield (properties.get("w", [0, "?"])[1], int(properties.get("n", [0, -1])[1]), record["body"])
