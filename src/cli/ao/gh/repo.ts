// `gh repo view` and `gh auth status`: there is a repository and nobody has to log in.
import { localAuthor } from '../../../forge/pulls/local-author.ts'
import type { Io } from '../../io.ts'
import { parseFlags } from './gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from './output/gh-json.ts'
import { type Gh, openGh } from './open-gh.ts'

const FIELDS: Record<string, (gh: Gh) => unknown> = {
  id: ({ project }) => `R_${project.id}`,
  name: ({ project }) => project.id,
  nameWithOwner: ({ repo }) => repo,
  owner: () => ({ id: '', login: 'projects' }),
  description: ({ project }) => project.name,
  url: ({ project, config }) => `http://localhost:${config.port}/projects/${project.id}`,
  sshUrl: ({ project }) => project.path,
  defaultBranchRef: ({ project }) => ({ name: project.defaultBranch }),
  isPrivate: () => true,
  isFork: () => false,
  isEmpty: () => false,
  visibility: () => 'PRIVATE',
  viewerPermission: () => 'ADMIN',
  hasIssuesEnabled: () => true,
  mergeCommitAllowed: () => true,
  squashMergeAllowed: () => true,
  rebaseMergeAllowed: () => true,
}

export async function repoView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { ...JSON_FLAGS, branch: { short: 'b', value: true }, web: { short: 'w' } })
  const fields = wantedFields(args, Object.keys(FIELDS))
  const gh = await openGh(io)
  if (fields !== null) {
    const values = Object.fromEntries(fields.map((name) => [name, FIELDS[name]!(gh)]))
    await printJson(values, args.value('jq'), io)
    return 0
  }
  io.print(`name:\t${gh.repo}\ndescription:\t${gh.project.name}\n--`)
  return 0
}

export async function authStatus(argv: readonly string[], io: Io): Promise<number> {
  parseFlags(argv, { hostname: { short: 'h', value: true }, 'show-token': { short: 't' }, active: { short: 'a' } })
  await openGh(io)
  io.print('localhost')
  io.print(`  ✓ Logged in to localhost account ${localAuthor(io.env)} (ao: no server, no token)`)
  io.print('  - Active account: true')
  return 0
}
