// `ao start`: the loop over all projects of a configuration, in the background or in the foreground.
import { resolve } from 'node:path'
import { openConfig } from '../../../config/load-config-cached.ts'
import { requireTrust, SERVICE_KINDS } from '../../../config/trust/trust.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { plural } from '../../../core/text/format-age.ts'
import {
  loopState,
  type RunFiles,
  type RunState,
  readRunState,
  runFiles,
  wasRebooted,
} from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { type CommandTable, defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { openAo } from '../open-ao.ts'
import { lostSessions } from '../session/lost-sessions.ts'
import type { AddedProject } from './add-project.ts'
import { findPort, startInBackground } from './background.ts'
import { makeLink } from './dashboard-link.ts'
import { runHere } from './foreground.ts'
import { joinRunning } from './join.ts'
import { findHost, joinProcess } from './join-process.ts'
import { goToRepository } from './start-target.ts'

export const startCommand = defineCommand({
  name: 'start',
  about: 'Watch the sessions: statuses, reactions to CI and reviews, notifications',
  details:
    'One process for all projects of the configuration, and for other repositories that join it; a configuration with a port or dashboard settings of its own gets its own. Sessions never depend on it.',
  args: { repository: { about: 'Directory or URL of a repository to add (default: this one)', completes: 'file' } },
  options: {
    foreground: { short: 'f', about: 'Stay in the foreground and log each step' },
    listen: {
      value: 'address',
      about: 'Listen there too: tailscale, a private address, or any with a certificate',
    },
    'tls-cert': { value: 'file', about: 'Certificate for --listen, as PEM' },
    'tls-key': { value: 'file', about: 'Key of the certificate' },
    own: { about: 'Do not join the process of another repository' },
    restore: { about: 'Restore sessions that were not ended on purpose, e.g. after a reboot' },
    'no-restore': { about: 'Restore none (default: ask after a reboot)' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao start --listen tailscale', about: 'Reachable from your phone too; pair it with ao device add' },
    { line: 'ao start ~/code/app', about: 'The same, with this repository among them' },
  ],
  json: '{ running, pid, startedNow, projects: [id], configPath, log, added, port }',
  async run({ args, options }, io, table) {
    const target = await goToRepository(args.repository, listeningIo(options, io))
    const config = await openConfig(target.io)
    const files = runFiles(createPaths({ configPath: config.configPath, home: io.home, env: io.env }))
    const state = readRunState(files)
    const restores = { yes: options.restore, no: options['no-restore'], rebooted: wasRebooted(state) }
    if (loopState(state) !== 'dead') {
      if (options.foreground || options.listen !== undefined) {
        await target.added?.rollBack()
        throw alreadyRunning(state!)
      }
      const joined = await joinRunning(files, config, target.added)
      if (options.restore) await offerRestore(target.io, restores)
      return void report(joined, { startedNow: false, added: target.added?.id ?? null, json: options.json, config }, io)
    }
    await requireServiceConsent(config, target.added, io)
    if (options.restore || restores.rebooted) await offerRestore(target.io, restores)
    if (options.foreground) return runOnFreePort(config, files, target.io, table)
    const host = options.own ? null : findHost(config, io)
    const started = host
      ? await joinProcess(host, { config, files }, io)
      : await startInBackground(config, files, target.io)
    report(started, { startedNow: host === null, added: target.added?.id ?? null, json: options.json, config }, io)
  },
})

async function runOnFreePort(
  config: OrchestratorConfig,
  files: RunFiles,
  io: Io,
  table: CommandTable,
): Promise<number> {
  const found = await findPort(config, files, io)
  if (found.other) throw alreadyRunning(found.other)
  return runHere(config, files, withEnvironment(io, found.env), table)
}

interface ListenOptions {
  listen: string | undefined
  'tls-cert': string | undefined
  'tls-key': string | undefined
}

/** As the variables would: they are handed on to the background process, and stay in force when the file changes. */
function listeningIo(options: ListenOptions, io: Io): Io {
  const { listen, 'tls-cert': cert, 'tls-key': key } = options
  if ((cert === undefined) !== (key === undefined))
    throw new AoError('USAGE', '--tls-cert and --tls-key belong together', { hint: 'Give both files' })
  const set = {
    ...(listen !== undefined && { AO_LISTEN: listen }),
    ...(cert !== undefined && { AO_TLS_CERT: resolve(io.cwd, cert) }),
    ...(key !== undefined && { AO_TLS_KEY: resolve(io.cwd, key) }),
  }
  return withEnvironment(io, set)
}

function withEnvironment(io: Io, set: Record<string, string>): Io {
  if (Object.keys(set).length === 0) return io
  return Object.create(io, { env: { value: { ...io.env, ...set } } }) as Io
}

/** Reported here, before anything listens: from the background process it would be a line in a log. */
async function requireServiceConsent(config: OrchestratorConfig, added: AddedProject | null, io: Io): Promise<void> {
  try {
    requireTrust(config, { home: io.home, env: io.env, kinds: SERVICE_KINDS })
  } catch (error) {
    await added?.rollBack()
    throw error
  }
}

function alreadyRunning({ pid, configPath }: RunState): AoError {
  return new AoError('ALREADY_RUNNING', `Process ${pid} watches the projects of ${configPath} already`, {
    details: { pid, configPath },
  })
}

interface Report {
  startedNow: boolean
  added: string | null
  json: boolean
  config: OrchestratorConfig
}

function report(state: RunState, { startedNow, added, json, config }: Report, io: Io): void {
  const { pid, projects, configPath, log, port } = state
  if (json) return void io.json({ running: true, pid, startedNow, projects, configPath, log, added, port })
  if (added !== null)
    io.print(`added ${io.style.bold(added)} to ${configPath}${startedNow ? '' : '; the running loop watches it'}`)
  io.print(
    `${startedNow ? 'started' : state.host === undefined ? 'already running' : 'joined'}: process ${pid} watches ${projects.join(', ') || 'no project'}`,
  )
  io.print(`  dashboard: ${makeLink(config, state, io)}`)
  if (state.reached) io.print(`  other devices: ${state.reached}, paired with: ao device add <name>`)
  if (log !== null) io.print(`  what it does: ${log}`)
  io.print('  stop it: ao stop (sessions keep running)')
  if (state.configProblem)
    io.note(`${io.noteStyle.yellow('warning:')} the changed file is not used: ${state.configProblem}`)
}

/** Offers to restore sessions that died without being ended: after a reboot, or on request. */
async function offerRestore(io: Io, answers: { yes: boolean; no: boolean; rebooted: boolean }): Promise<void> {
  if (answers.no) return
  const ao = await openAo(io)
  const lost = await lostSessions(ao)
  if (lost.length === 0) return
  const ids = lost.map(({ id }) => id).join(', ')
  const many = plural(lost.length, 'session')
  io.note(
    answers.rebooted ? `The machine was restarted while ${many} ran: ${ids}` : `${many} ended unexpectedly: ${ids}`,
  )
  if (!answers.yes && !(await wantsThemBack(io))) {
    io.note('Bring them back with: ao session restore --all')
    return
  }
  for (const { id } of lost) {
    try {
      await ao.manager.restore(id, { onProgress: () => undefined })
      io.note(`restored ${id}`)
    } catch (error) {
      io.note(`${io.noteStyle.yellow('warning:')} ${id} was not restored: ${errorText(error)}`)
    }
  }
}

async function wantsThemBack(io: Io): Promise<boolean> {
  if (!io.stdin.isTTY || !io.noteIsTerminal) return false
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  const answer = await reader.question('Bring them back? [Y/n] ').finally(() => reader.close())
  return !/^n/i.test(answer.trim())
}
