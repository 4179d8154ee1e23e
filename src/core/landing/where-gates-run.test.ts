import { expect, it } from 'vitest'
import { type GatePlace, routeGate } from './where-gates-run.ts'

it.each<[GatePlace | undefined, ...Array<ReturnType<typeof routeGate>>]>([
  // where, agent at home, agent in a place, its place is gone
  [undefined, 'here', 'here', 'here'],
  ['home', 'here', 'here', 'here'],
  ['place', 'here', 'there', 'nowhere'],
  ['either', 'here', 'there', 'here'],
])('a gate with where: %s runs %s, %s and %s', (where, home, place, gone) => {
  expect([routeGate(where, 'home'), routeGate(where, 'place'), routeGate(where, 'gone')]).toEqual([home, place, gone])
})
