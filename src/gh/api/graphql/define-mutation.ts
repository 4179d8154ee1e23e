// One mutation, with the type of its input.
import type { Io } from '../../../cli/print/io.ts'
import type { Args, Node } from '../../describe/node.ts'
import type { Gh } from '../../open-gh.ts'

export interface MutationContext {
  gh: Gh
  io: Io
}

export interface Mutation {
  /** The keys of its input that it honours. */
  honours: readonly string[]
  run(input: Args, context: MutationContext): Promise<Node>
}

export function defineMutation<I extends Args>(
  honours: ReadonlyArray<keyof I & string>,
  run: (input: I, context: MutationContext) => Promise<Node>,
): Mutation {
  return { honours, run: run as Mutation['run'] }
}
