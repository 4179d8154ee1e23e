// The runtime of a session in a place has the place's name; `acp@name` where its agent is spoken to over the protocol.

const OVER_PROTOCOL = 'acp@'

export function runtimeInPlace(place: string, overProtocol: boolean): string {
  return overProtocol ? `${OVER_PROTOCOL}${place}` : place
}

/** Whether that place exists is for the configuration to say. */
export function readRuntimeName(runtime: string): { place: string; overProtocol: boolean } {
  const overProtocol = runtime.startsWith(OVER_PROTOCOL)
  return { place: overProtocol ? runtime.slice(OVER_PROTOCOL.length) : runtime, overProtocol }
}
