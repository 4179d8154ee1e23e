// `ao` in this process, as it was built: for questions about a world, and for changes that nothing is to go wrong with.
import { pathToFileURL } from 'node:url'
import type { RunResult } from './ao-home.ts'
import { testProgram } from './test-program.ts'

export type AoHere = (args: string[], world: { env: NodeJS.ProcessEnv; repo: string }) => Promise<RunResult>

let loaded: Promise<{ runHere: AoHere }> | undefined

export const runHere: AoHere = async (args, world) => {
  loaded ??= import(pathToFileURL(testProgram('ao-here')).href)
  return (await loaded).runHere(args, world)
}
