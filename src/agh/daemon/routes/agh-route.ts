// A route of the daemon, answering for the sessions of its context.
import { type Route, routesIn } from '../../../http/route-table.ts'
import type { AghContext } from '../../session/context.ts'

export type AghRoute = Route<AghContext>

export const route = routesIn<AghContext>()
