// The service of this configuration on this system, and the steps that change it.
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { exec } from '../../../lib/exec.ts'
import { readIfThere } from '../../../lib/plain-file.ts'
import { userHome } from '../../../lib/process/own-home.ts'
import { defaultAoCommand } from '../../../manager/session-manager.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../io.ts'
import { openConfig } from '../open-config.ts'
import { describeService, MARK, type Service } from './service-file.ts'

export async function openService(io: Io): Promise<Service> {
  const { configPath } = await openConfig(io)
  const { configDir, hash } = createPaths({ configPath, home: io.home, env: io.env })
  const service = describeService({
    platform: process.platform,
    userHome: userHome(io.home, io.env),
    uid: process.getuid?.() ?? 0,
    configDir,
    configPath,
    hash,
    command: defaultAoCommand(),
    env: io.env,
  })
  if (service !== null) return service
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

/** The previous file is restored when the service manager refuses the new one. */
export async function install(service: Service, io: Io): Promise<void> {
  const before = readInstalled(service)
  mkdirSync(dirname(service.file), { recursive: true })
  try {
    // An already known one is ended first: launchd accepts no second one, and systemd would keep the old command running.
    if (before !== null) await tryAll(service.stop, io)
    writeFileAtomic(service.file, service.text, { mode: 0o644 })
    await runAll(service.start, io)
  } catch (error) {
    if (before === null) rmSync(service.file, { force: true })
    else writeFileAtomic(service.file, before, { mode: 0o644 })
    await tryAll(before === null ? service.forget : service.start, io)
    throw error
  }
}

export async function uninstall(service: Service, io: Io): Promise<boolean> {
  if (readInstalled(service) === null) return false
  await runAll(service.stop, io)
  rmSync(service.file, { force: true })
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
