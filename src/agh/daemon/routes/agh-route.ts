// A route of the daemon, answering for the sessions of its context.
import type { IncomingMessage } from 'node:http'
import { AoError } from '../../../contract/errors.ts'
import { type Route, routesIn } from '../../../http/route-table.ts'
import type { AghContext } from '../../session/context.ts'
import type { AghCaller } from '../admit-request.ts'

export type AghRoute = Route<AghContext, AghCaller>

export const route = routesIn<AghContext, AghCaller>()

/** Variables are not accepted over TCP: they hold secrets, which belong on the socket. */
export function overSocket<T>(request: IncomingMessage, environment: T): T {
  if (environment === undefined || request.socket.remoteAddress === undefined) return environment
  throw new AoError('USAGE', 'An environment is taken over the socket only', {
    hint: 'Use the agh command, or the socket daemon.sock',
  })
}
