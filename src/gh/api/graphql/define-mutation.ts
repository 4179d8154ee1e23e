// One mutation: the keys of its input that it honours, and what it does.
import type { Io } from '../../../cli/io.ts'
import type { Gh } from '../../open-gh.ts'
import type { Args } from './field.ts'

export interface MutationContext {
  gh: Gh
  io: Io
}

export interface Mutation {
  honours: readonly string[]
  run(input: Args, context: MutationContext): Promise<Record<string, unknown>>
}

export function defineMutation<I extends Args>(
  honours: ReadonlyArray<keyof I & string>,
  run: (input: I, context: MutationContext) => Promise<Record<string, unknown>>,
): Mutation {
  return { honours, run: run as Mutation['run'] }
}
