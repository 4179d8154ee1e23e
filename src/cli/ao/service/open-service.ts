// The service of this configuration on this system, and the steps that change it.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { openConfig } from '../../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { sleep } from '../../../lib/clock.ts'
import { exec } from '../../../lib/exec.ts'
import { openForAppend, readIfThere, readSince } from '../../../lib/plain-file.ts'
import { userHome } from '../../../lib/process/own-home.ts'
import { removeFile } from '../../../lib/remove.ts'
import { loopState, type RunFiles, type RunState, readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { defaultAoCommand } from '../../../manager/context.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'
import { LEAN_NODE } from '../start/lean-node.ts'
import { describeService, MARK, type Service } from './service-file.ts'

/** What `ao service` acts on. */
export interface OpenService extends Service {
  config: OrchestratorConfig
  files: RunFiles
}

export async function openService(io: Io): Promise<OpenService> {
  const config = await openConfig(io)
  const { configPath } = config
  const paths = createPaths({ configPath, home: io.home, env: io.env })
  const { configDir, hash } = paths
  const files = runFiles(paths)
  const [node = process.execPath, ...program] = defaultAoCommand()
  const service = describeService({
    platform: process.platform,
    userHome: userHome(io.home, io.env),
    uid: process.getuid?.() ?? 0,
    configDir,
    configPath,
    hash,
    command: [node, ...LEAN_NODE, ...program],
    log: files.log,
    env: io.env,
  })
  if (service !== null) return { ...service, config, files }
  throw new AoError('SERVICE_FAILED', `There is no service manager that ao knows on ${process.platform}`, {
    hint: 'Start the loop yourself with: ao start',
  })
}

/** null: not installed. Another program's file of that name is an error. */
export function readInstalled({ file }: Service): string | null {
  const text = readIfThere(file)
  if (text === null || text.includes(MARK)) return text
  throw new AoError('SERVICE_FAILED', `${file} is there, and ao did not write it`, {
    hint: `Move it away, or keep it: ao start works without a service`,
    details: { file },
  })
}

/** Returns when the loop is running. The previous file is restored when it does not start. */
export async function install(service: OpenService, io: Io): Promise<RunState> {
  const before = readInstalled(service)
  mkdirSync(dirname(service.file), { recursive: true })
  const readLog = prepareLog(service.files)
  try {
    // An already known one is ended first: launchd accepts no second one, and systemd would keep the old command running.
    if (before !== null) await tryAll(service.stop, io)
    writeFileAtomic(service.file, service.text, { mode: 0o644 })
    await runAll(service.start, io)
    return await untilRunning(service, readLog, io)
  } catch (error) {
    await tryAll(service.stop, io)
    if (before === null) removeFile(service.file)
    else writeFileAtomic(service.file, before, { mode: 0o644 })
    await tryAll(before === null ? service.forget : service.start, io)
    throw error
  }
}

/** Created here, because the service manager would let others read it. Returns what is written to it from now on. */
function prepareLog({ log }: RunFiles): () => string {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const file = openForAppend(log)
  const { size } = fstatSync(file)
  closeSync(file)
  return () => readSince(log, size, SHOWN_LOG).trim().split('\n').slice(-3).join('\n')
}

const START_MS = 30_000
const SHOWN_LOG = 4_000

/** The service manager calls a service running that ends a moment later, and starts it again and again. */
async function untilRunning(service: OpenService, readLog: () => string, io: Io): Promise<RunState> {
  for (const deadline = performance.now() + START_MS; ; await sleep(100)) {
    const state = readRunState(service.files)
    if (state && loopState(state) === 'alive') return state
    const hasEnded = !(await isActive(service, io))
    if (!hasEnded && performance.now() < deadline) continue
    throw new AoError(
      'SERVICE_FAILED',
      `The loop does not start as a service; it is not installed. It says:\n${readLog()}`,
      {
        hint: 'See whether it starts without one: ao start',
      },
    )
  }
}

export async function uninstall(service: Service, io: Io): Promise<boolean> {
  if (readInstalled(service) === null) return false
  await runAll(service.stop, io)
  removeFile(service.file)
  await tryAll(service.forget, io)
  return true
}

export async function isActive({ isActive: [program = '', ...args] }: Service, io: Io): Promise<boolean> {
  return (await exec(program, args, { env: io.env })).ok
}

async function runAll(lines: readonly string[][], io: Io): Promise<void> {
  for (const [program = '', ...args] of lines) {
    const { ok, startError, stderr, stdout } = await exec(program, args, { env: io.env })
    if (ok) continue
    const why = startError?.message ?? ((stderr || stdout).trim().split('\n').at(-1) || 'no reason given')
    throw new AoError('SERVICE_FAILED', `${[program, ...args].join(' ')} failed: ${why}`, {
      hint: 'Without a service the loop starts with: ao start',
    })
  }
}

/** For steps that may fail because they are already done. */
async function tryAll(lines: readonly string[][], io: Io): Promise<void> {
  for (const [program = '', ...args] of lines) await exec(program, args, { env: io.env })
}
