// `agh doctor`: what is missing or broken, and what to do about it. Starts no daemon.
import { accessSync, constants, statSync } from 'node:fs'
import { daemonProcess } from '../../agh/daemon/daemon-file.ts'
import { daemonStatus } from '../../agh/daemon/daemon-status.ts'
import type { AghPaths } from '../../agh/paths.ts'
import { listAgents } from '../../agh/setup/agents.ts'
import { loadAghConfig } from '../../agh/setup/load-config.ts'
import { lostAgents } from '../../agh/store/lost-hosts.ts'
import { listSessionIds, readMeta } from '../../agh/store/meta-file.ts'
import { DAEMON_PROTOCOL } from '../../contract/agh/protocol.ts'
import { AoError, errorText, hintFor } from '../../contract/errors.ts'
import { plural } from '../../core/text/format-age.ts'
import { type Finding, guarded, printFindings } from '../print/findings.ts'
import type { Io } from '../print/io.ts'
import { type Agh, aghCommand } from './agh-command.ts'

export const doctorCommand = aghCommand({
  name: 'doctor',
  about: 'Check the configuration, the daemon, the agents and the sessions, and say what to do',
  details: 'The exit code is 1 when something is broken.',
  options: { fix: { about: 'Repair damaged sessions; starts the daemon for it' } },
  json: "{ ok, checks: [{ level: 'pass' | 'warn' | 'fail', name, detail, fix? }] }",
  async run({ io, agh, format, options }) {
    const { paths } = agh
    if (options.fix) await repairAll(agh)
    const checks = await examine(paths, io)
    const ok = checks.every(({ level }) => level !== 'fail')
    if (format === 'human') printFindings(checks, io)
    else if (format === 'json') io.json({ ok, checks })
    else io.printLines(checks.map((check) => JSON.stringify(check)))
    return ok ? 0 : 1
  },
})

/** One that cannot be repaired is reported by the check that follows. */
async function repairAll(agh: Agh): Promise<void> {
  for (const id of listSessionIds(agh.paths)) {
    try {
      readMeta(agh.paths, id)
    } catch {
      await agh.call('POST /api/sessions/:id/repair', { params: { id }, query: {} }).catch(() => undefined)
    }
  }
}

async function examine(paths: AghPaths, io: Io): Promise<Finding[]> {
  const found = [
    ...(await guarded('home', async () => [checkHome(paths)])),
    ...(await guarded('configuration', async () => [await checkConfig(paths)])),
    ...(await guarded('daemon', async () => [await checkDaemon(paths)])),
    ...(await guarded('agents', () => checkAgents(paths, io))),
    ...(await guarded('sessions', async () => checkSessions(paths))),
  ]
  return [{ level: 'pass', name: 'node', detail: process.versions.node }, ...found]
}

function checkHome({ home }: AghPaths): Finding {
  const stat = statSync(home, { throwIfNoEntry: false })
  const name = 'home'
  if (!stat) return { level: 'pass', name, detail: `${home} is made when it is needed` }
  accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  if (stat.uid === process.getuid?.()) return { level: 'pass', name, detail: home }
  return {
    level: 'warn',
    name,
    detail: `${home} belongs to another user`,
    fix: 'Set AGH_HOME to a directory of your own',
  }
}

async function checkConfig(paths: AghPaths): Promise<Finding> {
  await loadAghConfig(paths)
  return { level: 'pass', name: 'configuration', detail: paths.config }
}

const ANSWER_MS = 3_000

async function checkDaemon(paths: AghPaths): Promise<Finding> {
  const name = 'daemon'
  try {
    const status = await daemonStatus(paths, AbortSignal.timeout(ANSWER_MS))
    if (!status) return { level: 'pass', name, detail: 'not running; it is started by the first command that needs it' }
    const { pid, active_sessions, http_problem } = status
    const detail = `running (process ${pid}), ${plural(active_sessions, 'active session')}`
    if ((status.protocol ?? 1) < DAEMON_PROTOCOL) {
      return { level: 'warn', name, detail: `${detail}; it is older than this command`, fix: 'Run: agh daemon restart' }
    }
    if (http_problem === null) return { level: 'pass', name, detail }
    return { level: 'warn', name, detail: `${detail}, its socket only`, fix: http_problem }
  } catch (error) {
    const fix = `See ${paths.log}; then: agh daemon stop`
    const alive = daemonProcess(paths) === 'alive' ? 'it is running, but does not answer' : 'it does not answer'
    return { level: 'fail', name, detail: `${alive}: ${errorText(error)}`, fix }
  }
}

async function checkAgents(paths: AghPaths, io: Io): Promise<Finding[]> {
  const agents = await listAgents({ paths, env: io.env })
  return agents.flatMap(({ name, source, command, problem, heartbeat_problem, file }): Finding[] => {
    const fix = file ? `Correct ${file}, or install what it names` : 'Run: agh install'
    const found: Finding =
      problem !== null
        ? { level: 'fail', name: `agent ${name}`, detail: problem, fix }
        : source === 'demo'
          ? {
              level: 'warn',
              name: `agent ${name}`,
              detail: 'the demo agent: no ACP agent is on the PATH',
              fix: 'Install one, then: agh install',
            }
          : { level: 'pass', name: `agent ${name}`, detail: command.join(' ') }
    if (heartbeat_problem === null) return [found]
    return [found, { level: 'fail', name: `heartbeat of ${name}`, detail: heartbeat_problem, fix: 'Correct the file' }]
  })
}

function checkSessions(paths: AghPaths): Finding[] {
  const ids = listSessionIds(paths)
  const damaged = ids.flatMap((id): Finding[] => {
    try {
      readMeta(paths, id)
      return []
    } catch (error) {
      const hint = error instanceof AoError ? hintFor(error, 'agh') : undefined
      const detail = errorText(error).split('\n', 1)[0]!
      const runs = lostAgents(paths, id).length > 0
      const fix = runs ? `Its agent is still running; end it with: agh session stop ${id}` : hint
      return [{ level: 'fail', name: `session ${id}`, detail, fix }]
    }
  })
  const whole = ids.length - damaged.length
  return [...damaged, { level: 'pass', name: 'sessions', detail: plural(whole, 'session') }]
}
