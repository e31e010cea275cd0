"""The direct door: SDKs send to this service by a DSN, without a shipper. What is answered is on disk, and is
delivered from there by the shipper's own code."""
