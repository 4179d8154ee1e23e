// The loop of `ao start`, the port of its dashboard, and whether it can notify anyone.
import { listenAddress, ownOrigin } from '../../../dashboard/access/listen-address.ts'
import { requireFreePort } from '../../../dashboard/access/port-taken.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { loopTrouble } from '../../../lifecycle/loop/forge-notices.ts'
import { findRunning, loopState, type RunState, runFiles, wasRebooted } from '../../../lifecycle/loop/run-state.ts'
import { listNotifiers } from '../../../lifecycle/notify/try-notifier.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

export async function checkLoop(ao: Ao, io: Io): Promise<Finding[]> {
  const { config, paths } = ao
  const address = listenAddress(config)
  const state = findRunning(runFiles(paths))
  if (state !== null && loopState(state) !== 'dead') {
    if (state.projects.length === 0) return [hiddenLoop(state)]
    const trouble = (await loopTrouble(paths)).map(
      ([surface, why]): Finding => ({ level: 'warn', name: 'loop', detail: `${surface}: ${why}` }),
    )
    return [describeLoop(state, ownOrigin(config, state.port)), ...trouble, ...(await findSilence(ao))]
  }
  if (address.port !== 0) await requireFreePort({ ...address, home: io.home, configPath: config.configPath })
  const port = address.port === 0 ? 'its dashboard takes any free port' : `port ${address.port} is free`
  return [describeAbsence(state, port), ...describeWebhooks(Object.keys(config.webhooks ?? {}))]
}

function hiddenLoop({ pid }: RunState): Finding {
  const detail = `process ${pid} is running, but the file with its state is missing, damaged or names another process`
  return { level: 'warn', name: 'loop', detail, fix: 'Restart it with: ao stop && ao start' }
}

function describeLoop(state: RunState, origin: string): Finding {
  const name = 'loop'
  if (state.configProblem !== undefined) {
    const detail = `process ${state.pid} continues with the old configuration: ${state.configProblem}`
    return { level: 'warn', name, detail, fix: 'Correct the file; it is taken over by itself' }
  }
  if (state.version !== undefined && AO_VERSION !== null && state.version !== AO_VERSION) {
    const detail = `process ${state.pid} runs ao ${state.version}, and this is ${AO_VERSION}`
    return { level: 'warn', name, detail, fix: 'Restart it with: ao stop && ao start' }
  }
  const log = state.log === null ? '' : `, log: ${state.log}`
  return {
    level: 'pass',
    name,
    detail: `process ${state.pid} watches ${state.projects.join(', ')}, dashboard: ${origin}${log}`,
  }
}

/** A loop that can notify nobody would only report it in its log. */
async function findSilence({ config, registry }: Ao): Promise<Finding[]> {
  const routed = listNotifiers(config).filter(({ priorities }) => priorities.length > 0)
  const plugins = new Set(routed.map(({ plugin }) => plugin))
  const detected = (await registry.detect('notifier')).filter(({ name }) => plugins.has(name))
  if (detected.length === 0 || detected.some(({ ok }) => ok)) return []
  const reasons = detected.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
  const fix = 'Choose another under notifiers: in the configuration, and try it with: ao doctor --test-notify'
  return [{ level: 'warn', name: 'notifications', detail: `no notifier works: ${reasons}`, fix }]
}

function describeAbsence(state: RunState | null, port: string): Finding {
  const name = 'loop'
  if (state !== null && state.stoppedAt === undefined) {
    const why = wasRebooted(state) ? 'the machine was restarted while it ran' : `process ${state.pid} was killed`
    const fix = wasRebooted(state) ? 'Bring the sessions back with: ao start --restore' : 'Start it with: ao start'
    return { level: 'warn', name, detail: `it is not running: ${why}`, fix }
  }
  return { level: 'pass', name, detail: `it is not running, start it with: ao start; ${port}` }
}

function describeWebhooks(names: string[]): Finding[] {
  if (names.length === 0) return []
  const detail = `deliveries of ${names.join(', ')} are not accepted while the loop is not running`
  return [{ level: 'warn', name: 'webhooks', detail, fix: 'Start it with: ao start' }]
}
