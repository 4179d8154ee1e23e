// Agents that somebody started without ao in one of these directories, and the terminals that they run in. Where the system does not
// say what other processes are (not on Linux), none are found.
import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { AGENT_TABLE } from '../../contract/agents/agent-table.ts'
import type { RunningAgent } from '../../core/session/plan-adoption.ts'
import { SPAWN_MARKER } from '../../lib/process/own-processes.ts'
import type { ProcessIdentity } from '../../lib/process/process-identity.ts'
import { type ProcessRow, readProcessTable } from '../../lib/process/process-table.ts'
import type { ForeignTerminal, Runtime } from '../../slots/runtime.ts'
import type { ManagerContext } from '../context.ts'

export interface FoundAgent extends RunningAgent {
  identity: ProcessIdentity
  /** How its terminal is taken. */
  at: { runtime: Runtime; terminal: ForeignTerminal } | null
}

export async function findRunning(context: ManagerContext, directories: readonly string[]): Promise<FoundAgent[]> {
  const table = readProcessTable()
  const rows = new Map(table.map((row) => [row.identity.pid, row]))
  const agents = new Map(table.flatMap((row) => withAgent(row)))
  // A program of an agent starts others of the same name: the first of them is the agent.
  const first = [...agents.keys()].filter((row) => !ancestors(rows, row).some((one) => agents.has(one)))
  const real = directories.map((path) => ({ path, real: realpathSync(path) })).sort((a, b) => length(b) - length(a))
  const there = first.flatMap((row) => {
    const directory = real.find((one) => row.worksIn(one.real))?.path
    return directory === undefined ? [] : [{ row, directory, agent: agents.get(row)! }]
  })
  const terminals = there.length === 0 ? [] : await listTerminals(context)
  return there.map(({ row, directory, agent }) => {
    const family = [row, ...ancestors(rows, row)].map(({ identity }) => identity.pid)
    const at = terminals.find(({ terminal }) => family.includes(terminal.root.pid)) ?? null
    const { identity } = row
    return { agent, directory, pid: identity.pid, identity, at, terminal: at?.terminal ?? null }
  })
}

const length = ({ real }: { real: string }) => real.length

const PROGRAMS = new Map(AGENT_TABLE.map(({ program, name }) => [program, name]))
/** Scripts are run by one of these. */
const INTERPRETERS = /^(node|bun|deno|python[\d.]*|ruby|sh|bash|dash|zsh|env)$/

/** Not one of ao's own, which carries a mark. Another user's shows no environment, and is nobody's to adopt. */
function withAgent(row: ProcessRow): Array<[ProcessRow, string]> {
  const [program = '', script = ''] = row.commandLine().split(' ')
  const word = basename(program)
  const name = PROGRAMS.get(INTERPRETERS.test(word) ? basename(script) : word)
  if (name === undefined || !row.environment.isReadable()) return []
  return row.environment.value(SPAWN_MARKER) ? [] : [[row, name]]
}

function ancestors(rows: Map<number, ProcessRow>, { parent }: ProcessRow): ProcessRow[] {
  const found: ProcessRow[] = []
  for (let row = rows.get(parent); row && !found.includes(row); row = rows.get(row.parent)) found.push(row)
  return found
}

async function listTerminals({ registry, log }: ManagerContext): Promise<Array<NonNullable<FoundAgent['at']>>> {
  const names = (await registry.list()).flatMap(({ manifest }) => (manifest?.slot === 'runtime' ? manifest.name : []))
  const found = names.map(async (name) => {
    const runtime = await registry.find('runtime', name).catch((error: unknown) => {
      log.debug(`the runtime ${name} cannot be asked for terminals: ${String(error)}`)
      return null
    })
    const terminals = (await runtime?.foreign?.list()) ?? []
    return runtime ? terminals.map((terminal) => ({ runtime, terminal })) : []
  })
  return (await Promise.all(found)).flat()
}
