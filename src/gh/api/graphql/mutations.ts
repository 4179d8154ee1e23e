// The mutations that the local forge supports, under the rules of `gh pr` and `gh issue`. An input that is not fully
// understood changes nothing.
import type { Io } from '../../../cli/io.ts'
import { type Args, type Field, field, refuse } from '../../describe/node.ts'
import type { Gh } from '../../open-gh.ts'
import type { Mutation } from './define-mutation.ts'
import { ISSUE_MUTATIONS } from './issue-mutations.ts'
import { PULL_MUTATIONS } from './pull-mutations.ts'
import { REVIEW_MUTATIONS } from './review-mutations.ts'

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...REVIEW_MUTATIONS,
  ...PULL_MUTATIONS,
  ...ISSUE_MUTATIONS,
}

export function mutationRoot(gh: Gh, io: Io): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(MUTATIONS).map(([name, { honours, run }]) => [
      name,
      field<{ input: Args }>(['input'], async ({ input }) => {
        const { clientMutationId = null, ...given } = input
        const unknown = Object.entries(given).find(([key, value]) => !honours.includes(key) && !isNothing(value))
        if (unknown) throw refuse(`${unknown[0]} of ${name} is not available in the local forge`)
        return { clientMutationId, ...(await run(given, { gh, io })) }
      }),
    ]),
  )
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
