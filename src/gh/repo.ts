// `gh repo view`, `gh auth status` and `gh auth token`: there is a repository and no login is needed.

import type { Io } from '../cli/print/io.ts'
import { localAuthor } from '../inside/local-author.ts'
import { REPO_JSON } from './describe/json-tables.ts'
import { describeRepo } from './describe/names.ts'
import { tabulate } from './describe/node.ts'
import { GhError } from './gh-error.ts'
import { NO_WEB, parseFlags } from './gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from './gh-json.ts'
import { openGh } from './open-gh.ts'

export async function repoView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    branch: { short: 'b', value: true, refused: 'the files of every branch are on this machine' },
    ...NO_WEB,
  })
  const fields = wantedFields(args, REPO_JSON)
  const gh = await openGh(io, { repo: args.repo ?? args.positionals[0] })
  if (fields !== null) {
    await printJson(await tabulate(describeRepo(gh), REPO_JSON, gh, fields), args, io)
    return 0
  }
  io.print(`name:\t${gh.repo}\ndescription:\t${gh.project.name}\n--`)
  return 0
}

const NO_TOKEN = 'nothing here needs a token'

export async function authStatus(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(
    argv,
    { hostname: { short: 'h', value: true }, 'show-token': { short: 't', refused: NO_TOKEN }, active: { short: 'a' } },
    { most: 0 },
  )
  await openGh(io, args)
  const host = args.value('hostname') ?? 'localhost'
  if (host !== 'localhost') throw new GhError(`You are not logged into any accounts on ${host}`)
  io.print('localhost')
  io.print(`  ✓ Logged in to localhost account ${localAuthor(io.env)} (ao: no server, no token)`)
  io.print('  - Active account: true')
  return 0
}

export async function authToken(argv: readonly string[], io: Io): Promise<number> {
  const flags = { hostname: { short: 'h', value: true }, user: { short: 'u', value: true } } as const
  await openGh(io, parseFlags(argv, flags, { most: 0 }))
  throw new GhError(`no oauth token: ${NO_TOKEN}, this project's forge is on this machine`)
}
