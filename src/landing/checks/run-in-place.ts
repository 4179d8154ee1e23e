// Gates of a session whose agent runs elsewhere: their commands run beside it, in a checkout of the exact commit. Anything that cannot be
// known there stays open, with the reason; it is never taken for passed.
import { errorText } from '../../contract/errors.ts'
import { type GateRoute, routeGate, whyNowhere } from '../../core/landing/where-gates-run.ts'
import type { FarCheckout, SessionPlace } from '../../slots/far-checkout.ts'
import type { CheckStore, CiCommand } from './check-store.ts'
import { type CommandHost, runCommands } from './run-commands.ts'

export interface PlaceRun {
  sessionId: string
  session: SessionPlace
  commands: readonly CiCommand[]
  commit: string
  /** Where results are kept, and under which commit or tree. */
  store: CheckStore
  key: string
  signal: AbortSignal
  mayRepeat?: ((command: CiCommand) => boolean) | undefined
  onCommand?: ((command: CiCommand) => void) | undefined
  /** One cannot run now. Called once for each reason. */
  onHeld?: ((command: CiCommand, why: string) => void) | undefined
}

/** Returns the commands that are to run on this machine. */
export async function runInPlace(host: CommandHost, run: PlaceRun): Promise<CiCommand[]> {
  const { session } = run
  const routed = (kind: SessionPlace['kind'], route: GateRoute) =>
    run.commands.filter(({ where }) => routeGate(where, kind) === route)
  const giveUp = (why: string) => {
    hold(run, routed('gone', 'nowhere'), whyNowhere(why, run.sessionId))
    return routed('gone', 'here')
  }
  if (session.kind === 'gone') return giveUp(session.why)
  const there = routed(session.kind, 'there')
  if (session.kind === 'home' || !isOpen(run, there)) return routed(session.kind, 'here')
  const rule = host.project.environment ?? {}
  let checkout: FarCheckout
  try {
    const opened = await session.checkOut({ repository: host.repository(), commit: run.commit, rule })
    if ('gone' in opened) return giveUp(opened.gone)
    checkout = opened
  } catch (error) {
    hold(run, there, errorText(error))
    return routed('place', 'here')
  }
  // Half of an interrupted run says nothing about the whole.
  for (const command of there) run.store.remove(run.key, command)
  try {
    await runCommands(host, { ...run, commands: there, change: null, in: { place: session.place, checkout } })
  } catch (error) {
    hold(run, there, errorText(error))
  } finally {
    await checkout.close()
  }
  return routed('place', 'here')
}

function isOpen({ store, key }: PlaceRun, commands: readonly CiCommand[]): boolean {
  return commands.some((command) => store.read(key, command) === null)
}

function hold({ store, key, onHeld }: PlaceRun, commands: readonly CiCommand[], why: string): void {
  for (const command of commands)
    if (store.read(key, command) === null && store.hold(key, command, why)) onHeld?.(command, why)
}
