// A route of the daemon: what it answers, it answers about the sessions of its context.
import { type Route, routesIn } from '../../../http/route-table.ts'
import type { AghContext } from '../../session/context.ts'

export type AghRoute = Route<AghContext>

export const route = routesIn<AghContext>()
