// Design §10.3: no command, reading ones included, starts a program, opens a connection or merges because a repository's
// file says so before its exact content was agreed to. Every key of the schema and every option of a plugin gets a value that
// would leave a mark, and commands meet it. A new key and a new command are found by themselves. `npm test` lets commands
// take turns; AO_THOROUGH=1 runs all of them with every key and value.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { trustItems } from '../../src/config/trust/trust-items.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { serveDashboard } from '../../src/dashboard/server/serve-dashboard.ts'
import { silentLog } from '../../src/lib/log.ts'
import { type RunOptions, runLoop } from '../../src/lifecycle/loop/run-loop.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createPaths } from '../../src/store/paths.ts'
import { cover, THOROUGH } from '../support/cover.ts'
import { waitFor } from '../support/wait-for.ts'
import { type KeyCanary, keyCanaries, mergeFiles } from './canary-keys.ts'
import { type CanaryWorld, type CommandLine, commandLines, createCanaryWorld } from './canary-world.ts'

let world: CanaryWorld
let lines: CommandLine[]
let asking: KeyCanary[]
let harmless: KeyCanary[]
/** Keys of the schema that no file could be made for. */
let missing: string[]
beforeAll(async () => {
  world = await createCanaryWorld()
  lines = await commandLines()
  const all = (await keyCanaries(world)).map((canary) => ({ canary, config: load(canary.file) }))
  const valid = all.filter(({ config }) => config !== null)
  const asks = ({ config }: (typeof valid)[number]) => trustItems(config!, { home: world.temp.home }).length > 0
  asking = firstOfEach(valid.filter(asks).map(({ canary }) => canary))
  const reached = new Set(valid.map(({ canary }) => canary.key))
  missing = [...new Set(all.map(({ canary }) => canary.key))].filter((key) => !reached.has(key))
  harmless = valid.filter((one) => !asks(one)).map(({ canary }) => canary)
}, 300_000)
afterAll(() => world.close())

function load(file: unknown): OrchestratorConfig | null {
  try {
    return loadConfig({ path: world.configure(file), home: world.temp.home, env: world.env })
  } catch {
    // The schema takes it, the loader does not: no command gets to see it.
    return null
  }
}

function firstOfEach(canaries: KeyCanary[]): KeyCanary[] {
  if (THOROUGH) return canaries
  return [...new Map(canaries.toReversed().map((canary) => [canary.key, canary])).values()]
}

/** The first round of the loop, and what the page reads. */
async function watchOnce(config: OrchestratorConfig, withPage: boolean): Promise<void> {
  const { env, temp } = world
  const stop = new AbortController()
  const files = runFiles(createPaths({ configPath: config.configPath, home: temp.home, env }))
  const serve: RunOptions['serve'] = async (place) => {
    const server = withPage ? await serveDashboard(place, { files }) : null
    void waitFor('the first round', async () => (place.loop.state() === 'starting' ? null : true))
      .then(() => (server ? readRoutes(server.port, readFileSync(files.token, 'utf8').trim()) : undefined))
      .finally(() => stop.abort())
    const close = async () => server?.leave()
    return { port: 0, reached: null, use: async () => undefined, complain: () => undefined, close }
  }
  const common = { env, home: temp.home, log: silentLog, say: () => undefined, logFile: null }
  await runLoop({ ...common, config, reload: async () => config, stop: stop.signal, serve })
}

const VALUES: Readonly<Record<string, string>> = { project: 'app', id: 'app-1', session: 'app-1', name: 'app' }

async function readRoutes(port: number, token: string): Promise<void> {
  const paths = DASHBOARD_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) =>
    path.replaceAll(/:(\w+)/g, (_, name: string) => VALUES[name] ?? '1'),
  )
  await Promise.all(
    paths.map((path) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(3_000),
      })
        .then((response) => response.body?.cancel())
        // A stream that stays open, or a route that refuses: what counts is what it has done.
        .catch(() => undefined),
    ),
  )
}

describe('a repository’s file, before anything in it was agreed to', () => {
  it('is one that every key of the schema and every option can be in', () => {
    expect(missing).toEqual([])
    const keys = asking.map(({ key }) => key)
    const some = [
      'config.command of docker',
      'config.kubeconfig of kubernetes',
      'telemetry.endpoint',
      'projects.app.gates',
    ]
    for (const key of some) expect(keys.some((one) => one.endsWith(key))).toBe(true)
  })

  it('has no effect through a command, whatever key needs consent', async () => {
    const doctor = lines.find(({ name }) => name === 'doctor')!
    const table: Array<[KeyCanary, CommandLine]> = [
      ...cover(asking, lines, 1),
      ...asking
        .filter(({ key }) => /^(?:places|plugins\.runtime)/.test(key))
        .map((one): [KeyCanary, CommandLine] => [one, doctor]),
    ]
    const broken: string[] = []
    for (const [{ key, file }, { argv }] of table) {
      world.configure(file)
      const { code } = await world.ao(argv)
      const effects = world.effects()
      if (effects.length > 0) broken.push(`${key}, ao ${argv.join(' ')}: ${effects.join('; ')}`)
      if (code === -1) broken.push(`${key}, ao ${argv.join(' ')} did not end`)
      world.forget()
    }
    expect(broken).toEqual([])
  }, 900_000)

  it('has no effect through the loop, whatever key needs consent', async () => {
    const one = THOROUGH ? asking : [...new Map(asking.map((canary) => [kindOf(canary), canary])).values()]
    const broken: string[] = []
    for (const { key, file } of one) {
      const before = world.sessions()
      const config = load(file)!
      await watchOnce(config, false).catch((error: Error) => {
        if ((error as { code?: string }).code !== 'CONFIG_UNTRUSTED') throw error
      })
      const effects = [...world.effects(), ...world.sessions().filter((id) => !before.includes(id))]
      if (effects.length > 0) broken.push(`${key}: ${effects.join('; ')}`)
      world.forget()
    }
    expect(broken).toEqual([])
  }, 900_000)

  it('has no effect through all keys together that need no consent', async () => {
    // They hide nothing from each other: whatever acts on one of them would act.
    const file = mergeFiles(harmless, (merged) => {
      const config = load(merged)
      return config !== null && trustItems(config, { home: world.temp.home }).length === 0
    })
    world.configure(file)
    const broken: string[] = []
    for (const { argv } of lines) {
      const { code } = await world.ao(argv)
      if (code === -1) broken.push(`ao ${argv.join(' ')} did not end`)
      broken.push(...world.effects().map((effect) => `ao ${argv.join(' ')}: ${effect}`))
      world.forget()
    }
    await watchOnce(load(file)!, true)
    expect([...broken, ...world.effects()]).toEqual([])
  }, 900_000)
})

function kindOf({ key, file }: KeyCanary): string {
  const [item] = trustItems(load(file)!, { home: world.temp.home })
  return `${item?.kind} ${key.split('.').slice(0, 2).join('.')}`
}
