// `ao` in this process, as it was built: for questions about a world, and for changes that nothing is to go wrong with.
import { createRequire } from 'node:module'
import type { RunResult } from './ao-home.ts'
import { testProgram } from './test-program.ts'

export interface HereWorld {
  env: NodeJS.ProcessEnv
  /** Where the command is typed. */
  repo: string
  input?: string | Buffer | undefined
}

export type AoHere = (args: string[], world: HereWorld) => Promise<RunResult>

/** Campaigns kill and damage: what they run is apart from them. */
const IS_TEST = process.env.VITEST === 'true' && !process.env.AO_TEST_DIST
/** They go on, or are about a terminal or the process itself. */
const OWN_PROCESS = new Set(['start', 'attach', 'top', 'mcp', 'acp'])

export const runsHere = ([command]: string[]): boolean => IS_TEST && !OWN_PROCESS.has(command!)

let loaded: { runHere: AoHere } | undefined

export const runHere: AoHere = async (args, world) => {
  loaded ??= createRequire(import.meta.url)(testProgram('ao-here')) as { runHere: AoHere }
  return loaded.runHere(args, world)
}
