"""Values of the output topics: Avro in the Confluent wire format, or JSON."""
import base64
import io
import json
import struct
import urllib.parse
import urllib.request


class EventReader:
    def __init__(self, registry):
        parts = urllib.parse.urlsplit(registry.rstrip("/"))
        self._url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        user = f"{urllib.parse.unquote(parts.username or '')}:{urllib.parse.unquote(parts.password or '')}"
        self._headers = {"Authorization": "Basic " + base64.b64encode(user.encode()).decode()} if parts.username else {}
        self._readers = {}

    def read_all(self, value):
        """The events of a record as dicts: several, where a record of several examples was predicted."""
        event = self.read(value)
        if isinstance(event, list):
            return event
        return event["predictions"] if list(event) == ["predictions"] else [event]

    def read(self, value):
        """The event as a dict, or a list of them."""
        if value[:1] in (b"{", b"["):
            return json.loads(value)
        if len(value) < 5 or value[0] != 0:
            raise ValueError(f"event must be JSON or begin with 0 and the id of its schema, got {value[:16]!r}")
        import avro.io

        return self._reader(struct.unpack_from(">I", value, 1)[0]).read(avro.io.BinaryDecoder(io.BytesIO(value[5:])))

    def _reader(self, schema_id):
        import avro.io
        import avro.schema

        if schema_id not in self._readers:
            request = urllib.request.Request(f"{self._url}/schemas/ids/{schema_id}", headers=self._headers)
            try:
                with urllib.request.urlopen(request, timeout=30) as reply:
                    schema = json.load(reply)["schema"]
            except (OSError, KeyError, ValueError) as error:
                raise ValueError(
                    f"registry {self._url} must have schema {schema_id}, got: {error} (registry=URL names another one)"
                ) from error
            self._readers[schema_id] = avro.io.DatumReader(avro.schema.parse(schema))
        return self._readers[schema_id]
