// What ao knows about forges before it queries one: who runs which host, where the API is, and which variables hold a token
// for which host. Data only; `core/forge` decides with it.

export interface ForgeRow {
  /** Name of its scm and tracker plugins. */
  plugin: string
  title: string
  /** Run by the vendor, and the default. */
  publicHost: string
  /** Other names of the public host, such as the one for ssh over port 443. */
  aliases: readonly string[]
  /** Further hosts run by the vendor itself. */
  vendorHosts: RegExp | null
  /** What people usually call a self-hosted server. Decides which forge it is, never who gets a token. */
  likelyHosts: RegExp
  /** Path of the API below the origin of the pages. */
  apiPath: string
  /** Hosts run by the vendor answer at `api.` before the host instead of a path below it. */
  vendorApiPrefix: string
  /** Variables that name the host of a self-hosted server. */
  hostVariables: readonly string[]
  /** Variables that hold the address of the API. */
  apiVariables: readonly string[]
  /** Variables with a token, in order of preference. */
  tokenVariables: readonly string[]
  /** Variables with a token for a self-hosted server; null: the same ones. */
  ownTokenVariables: readonly string[] | null
  /** The permissions a token needs, for people. */
  tokenScope: string
}

export const FORGES: readonly ForgeRow[] = [
  {
    plugin: 'github',
    title: 'GitHub',
    publicHost: 'github.com',
    aliases: ['ssh.github.com', 'www.github.com'],
    vendorHosts: /^[a-z0-9-]+\.ghe\.com$/,
    likelyHosts: /^(?:github|ghe)\./,
    apiPath: '/api/v3',
    vendorApiPrefix: 'api.',
    hostVariables: ['GH_HOST'],
    apiVariables: ['GITHUB_API_URL'],
    tokenVariables: ['GITHUB_TOKEN', 'GH_TOKEN'],
    ownTokenVariables: ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'],
    tokenScope: 'the scope repo',
  },
  {
    plugin: 'gitlab',
    title: 'GitLab',
    publicHost: 'gitlab.com',
    aliases: ['altssh.gitlab.com', 'www.gitlab.com'],
    vendorHosts: null,
    likelyHosts: /^gitlab\./,
    apiPath: '/api/v4',
    vendorApiPrefix: '',
    hostVariables: ['GITLAB_HOST', 'CI_SERVER_HOST'],
    apiVariables: [],
    tokenVariables: ['GITLAB_TOKEN'],
    ownTokenVariables: null,
    tokenScope: 'the scope api',
  },
  {
    plugin: 'forgejo',
    title: 'Forgejo',
    publicHost: 'codeberg.org',
    aliases: ['www.codeberg.org'],
    vendorHosts: null,
    likelyHosts: /^(?:forgejo|gitea|codeberg)\./,
    apiPath: '/api/v1',
    vendorApiPrefix: '',
    hostVariables: ['FORGEJO_HOST', 'GITEA_HOST'],
    apiVariables: [],
    tokenVariables: ['FORGEJO_TOKEN', 'GITEA_TOKEN'],
    ownTokenVariables: null,
    tokenScope: 'the scopes write:repository and write:issue',
  },
]

/** Hosts of products that ao has no plugin for; their names help people understand why nothing happens. */
export const OTHER_FORGES: ReadonlyArray<{ title: string; hosts: RegExp }> = [
  { title: 'Bitbucket', hosts: /^(?:altssh\.)?bitbucket\.org$/ },
  { title: 'Azure DevOps', hosts: /^(?:(?:ssh\.|vs-ssh\.)?dev\.azure\.com|.+\.visualstudio\.com)$/ },
  { title: 'SourceHut', hosts: /^git\.sr\.ht$/ },
  { title: 'AWS CodeCommit', hosts: /^git-codecommit\..+\.amazonaws\.com$/ },
]

/** How a pull request becomes part of its base branch. */
export const MERGE_METHODS = ['squash', 'merge', 'rebase'] as const
export type MergeMethod = (typeof MERGE_METHODS)[number]

/** All of them, this one first. */
export function methodsFrom(first: MergeMethod): MergeMethod[] {
  return [first, ...MERGE_METHODS.filter((method) => method !== first)]
}

/** How an agent hands in its work on a forge: wording for its prompts and for the messages that follow. */
export interface HandIn {
  /** What to do when the work is complete, as the rest of a sentence. */
  complete: string
  /** What submits a later change, as the rest of a sentence. */
  update: string
  /** What the forge calls a pull request. */
  request: string
  /** The program that agents need for it. */
  needs?: string | undefined
}

/** A forge from a third-party plugin without instructions of its own. */
export const ANY_FORGE: HandIn = {
  complete: 'push the branch and open a pull request',
  update: 'commit and push',
  request: 'pull request',
}

/** Without a forge the branch is all there is. */
const NO_FORGE: HandIn = {
  complete: 'see that everything is committed; there is nothing to push and no pull request to open',
  update: 'commit',
  request: 'pull request',
}

export function handInOf(scm: { handIn?: HandIn | undefined } | null): HandIn {
  return scm === null ? NO_FORGE : (scm.handIn ?? ANY_FORGE)
}

/** The name under which the loop reports the health of a project's forge. */
/** Where the loop says that work waits for reviews. */
export function reviewSurface(projectId: string): string {
  return `reviews of ${projectId}`
}

export function forgeSurface(projectId: string): string {
  return `forge of ${projectId}`
}
