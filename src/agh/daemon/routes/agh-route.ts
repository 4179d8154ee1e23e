// A route of the daemon, answering for the sessions of its context.
import { type Route, routesIn } from '../../../http/route-table.ts'
import type { AghContext } from '../../session/context.ts'
import type { AghCaller } from '../admit-request.ts'

export type AghRoute = Route<AghContext, AghCaller>

export const route = routesIn<AghContext, AghCaller>()
