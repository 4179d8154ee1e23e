// Where a gate's command runs: beside the session's agent, or on this machine. Pure.

export type GatePlace = 'place' | 'home' | 'either'

/** `nowhere`: the user wants it in the place, which is gone. It stays open rather than run somewhere else. */
export type GateRoute = 'here' | 'there' | 'nowhere'

/** `where`: undefined for what always runs here, such as CI and rules. */
export function routeGate(where: GatePlace | undefined, session: 'home' | 'place' | 'gone'): GateRoute {
  if (where === undefined || where === 'home' || session === 'home') return 'here'
  if (session === 'place') return 'there'
  return where === 'either' ? 'here' : 'nowhere'
}

/** For people, with what to do next. */
export function whyNowhere(why: string, sessionId: string): string {
  return `${why}; run it in a new place with: ao session restore ${sessionId}, or allow this machine with: where: either`
}
