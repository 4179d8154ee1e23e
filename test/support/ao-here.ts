// `ao` in this process, as it was built: for questions about a world, and for changes that nothing is to go wrong with.
import { createRequire } from 'node:module'
import type { RunResult } from './ao-home.ts'
import { testProgram } from './test-program.ts'

export type AoHere = (args: string[], world: { env: NodeJS.ProcessEnv; repo: string }) => Promise<RunResult>

let loaded: { runHere: AoHere } | undefined

export const runHere: AoHere = async (args, world) => {
  loaded ??= createRequire(import.meta.url)(testProgram('ao-here')) as { runHere: AoHere }
  return loaded.runHere(args, world)
}
