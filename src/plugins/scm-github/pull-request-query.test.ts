// Every query that is sent, against GitHub's own schema: a field that GitHub renames or drops is found here.
import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { CONTEXTS_QUERY, pullRequestsQuery, THREADS_QUERY } from './pull-request-query.ts'

let schema: GraphQLSchema

beforeAll(() => {
  const file = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'))
  schema = buildSchema(readFileSync(file, 'utf8'), { assumeValidSDL: true })
}, 30_000)

const QUERIES: ReadonlyArray<readonly [string, string]> = [
  ['one number', pullRequestsQuery([{ number: 1 }], []).query],
  ['one branch', pullRequestsQuery([{ branch: 'feat/a' }], []).query],
  ['base branches only', pullRequestsQuery([], ['main', 'next']).query],
  [
    'a whole chunk',
    pullRequestsQuery(
      Array.from({ length: 25 }, (_, n) => (n % 2 ? { number: n } : { branch: `feat/${n}` })),
      ['main'],
    ).query,
  ],
  ['more checks', CONTEXTS_QUERY],
  ['more threads', THREADS_QUERY],
]

describe('a query', () => {
  it.each(QUERIES)('for %s is valid by the schema of GitHub', (_what, query) => {
    expect(validate(schema, parse(query)).map(({ message }) => message)).toEqual([])
  })

  it('would be found out if it named what GitHub does not have', () => {
    const wrong = CONTEXTS_QUERY.replace('statusCheckRollup', 'statusCheckRollups')
    expect(validate(schema, parse(wrong))).not.toEqual([])
  })

  it('carries text from outside in variables only', () => {
    const hostile = 'x") { id } evil: viewer { login } #'
    const { query, variables } = pullRequestsQuery([{ branch: hostile }], [hostile])
    expect(query).not.toContain('evil')
    expect(variables).toEqual({ h0: `refs/heads/${hostile}`, r0: `refs/heads/${hostile}` })
  })
})
