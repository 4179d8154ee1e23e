// `ao upgrade`: how this installation is updated. It changes nothing, and asks nobody unless --check is given.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quoteForShell } from '../../core/text/command-line.ts'
import { tryGit } from '../../git/git.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { defineCommand, JSON_OPTION } from '../command.ts'
import type { Io } from '../print/io.ts'

const PACKAGE = 'ao-fleet'
const CHECK_MS = 30_000

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  about: 'Show how to update this installation',
  details:
    'It changes nothing by itself. Sessions keep running during an update, and a running loop restarts itself with the new files.',
  options: {
    check: { about: 'Also ask for the newest version' },
    json: JSON_OPTION,
  },
  json: '{ version, installed: "clone" | "npx" | "global" | "project", directory, command, newest?: version | commit | null, isNewest?, why? }',
  async run({ options }, io) {
    const found = findInstallation(packageDirectory(), { nodePrefix: dirname(dirname(process.execPath)) })
    const newest = options.check ? await findNewest(found, io) : null
    if (options.json) io.json({ version: AO_VERSION, ...found, ...newest })
    else {
      io.print(`ao ${AO_VERSION ?? 'from source'}, ${TITLES[found.installed]} ${found.directory}`)
      if (newest !== null) io.print(describeNewest(newest))
      io.print(`Update it with: ${found.command}`)
    }
    return newest?.newest === null ? 1 : 0
  },
})

export interface Installation {
  installed: 'clone' | 'npx' | 'global' | 'project'
  directory: string
  command: string
}

const TITLES: Readonly<Record<Installation['installed'], string>> = {
  clone: 'a clone in',
  npx: 'fetched by npx into',
  global: 'installed globally in',
  project: 'installed in',
}

/** `nodePrefix`: where npm puts global packages unless it was told otherwise. */
export function findInstallation(directory: string, { nodePrefix }: { nodePrefix: string }): Installation {
  const parent = dirname(directory)
  if (!parent.endsWith('/node_modules')) {
    const path = quoteForShell(directory)
    return { installed: 'clone', directory, command: `git -C ${path} pull --ff-only && npm --prefix ${path} run build` }
  }
  if (parent.includes('/_npx/')) return { installed: 'npx', directory, command: `npx ${PACKAGE}@latest` }
  const manager = /\/(pnpm|\.bun)\//.exec(parent)?.[1]
  if (manager !== undefined) {
    return { installed: 'global', directory, command: `${manager.replace('.', '')} add --global ${PACKAGE}@latest` }
  }
  const prefix = /^(.*)\/lib\/node_modules$/.exec(parent)?.[1]
  if (prefix === undefined) {
    const command = `npm --prefix ${quoteForShell(dirname(parent))} install ${PACKAGE}@latest`
    return { installed: 'project', directory, command }
  }
  const where = prefix === nodePrefix ? '' : ` --prefix ${quoteForShell(prefix)}`
  return { installed: 'global', directory, command: `npm install --global${where} ${PACKAGE}@latest` }
}

function packageDirectory(): string {
  let directory = dirname(ownProgram(import.meta.url, '../ao.ts', 'ao.js'))
  while (!existsSync(join(directory, 'package.json')) && directory !== '/') directory = dirname(directory)
  return directory
}

interface Newest {
  /** A version, or the commit of a clone's remote. null: nobody answered. */
  newest: string | null
  isNewest: boolean
  why?: string
}

function describeNewest({ newest, isNewest, why }: Newest): string {
  if (newest === null) return `The newest version could not be found: ${why}`
  return isNewest ? 'This is the newest version' : `The newest is ${newest}`
}

async function findNewest({ installed, directory }: Installation, io: Io): Promise<Newest> {
  if (installed !== 'clone') return askRegistry(io)
  const [remote, present] = await Promise.all(
    [
      ['ls-remote', 'origin', 'HEAD'],
      ['rev-parse', 'HEAD'],
    ].map((args) => tryGit(directory, args, { env: io.env, read: true, timeoutMs: CHECK_MS })),
  )
  const newest = /^[0-9a-f]{40,64}/.exec(remote!.stdout)?.[0] ?? null
  if (newest === null) return { newest, isNewest: false, why: execFailure('git ls-remote', remote!) }
  return { newest, isNewest: newest === present!.stdout.trim() }
}

/** npm asks, with its own settings: which registry, which proxy, which login. */
async function askRegistry(io: Io): Promise<Newest> {
  const result = await exec('npm', ['view', PACKAGE, 'version'], { env: io.env, cwd: io.home, timeoutMs: CHECK_MS })
  const version = result.stdout.trim()
  if (result.ok && /^\d+\.\d+\.\d+\S*$/.test(version)) return { newest: version, isNewest: version === AO_VERSION }
  const why = result.stderr.includes('E404') ? `the registry has no package ${PACKAGE}` : execFailure('npm', result)
  return { newest: null, isNewest: false, why }
}
