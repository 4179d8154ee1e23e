// The commands of gh that home answers for a session in a place, with every flag that gh has on them: what it is called, whether
// it takes a value, and what that value may be. Anything that is not here is refused. gh reads its arguments with cobra and pflag;
// `parse-gh.ts` reads them by this table in the same way.

/** What a flag's value may be (`gh-values.ts`). `switch` takes none. */
export type ValueKind =
  | 'switch'
  | 'text'
  | 'names'
  | 'name'
  | 'branch'
  | 'own-branch'
  | 'count'
  | 'id'
  | 'fields'
  | 'search'
  | 'commit'
  | 'date'
  | readonly string[]

/** Flags that become something else than an argument of the command. */
type Meaning = 'repository' | 'host' | 'help' | 'body' | 'body-file' | 'json' | 'jq' | 'fill'

export interface FlagRow {
  short?: string | undefined
  value: ValueKind
  meaning?: Meaning
  /** May be given several times, and all of them count. Otherwise the last one does. */
  all?: true
  /** gh has it, and it is not for a session in a place. */
  refused?: string
}

/** What a command's word names. */
export type TargetKind = 'none' | 'pull' | 'issue' | 'run' | 'repository' | 'route'

/**
 * What the command does, and so who may: everybody in the project's repository may `read`, `comment` and `create`; `change` is for the
 * session's own pull request or issue.
 */
export type Access = 'read' | 'comment' | 'create' | 'change'

export interface CommandRow {
  access: Access
  target: TargetKind
  /** Without a word the current branch is meant. */
  needsTarget?: true
  flags: Readonly<Record<string, FlagRow>>
}

const text = (short?: string): FlagRow => ({ short, value: 'text' })
const on = (short?: string): FlagRow => ({ short, value: 'switch' })
const names = (short?: string): FlagRow => ({ short, value: 'names', all: true })
const refused = (why: string, row: Omit<FlagRow, 'refused'>): FlagRow => ({ ...row, refused: why })

const REPO: FlagRow = { short: 'R', value: 'text', meaning: 'repository' }
const HELP: FlagRow = { value: 'switch', meaning: 'help' }
const WEB = refused('no browser is opened at home', { short: 'w', value: 'switch' })
const EDITOR = refused('no editor is opened at home', { short: 'e', value: 'switch' })
const NO_FILE = 'home reads no file for a place; give the text with --body or --body-file'
const RECOVER = refused(NO_FILE, { value: 'text' })
const FORMAT = {
  json: { value: 'fields', meaning: 'json' },
  jq: { short: 'q', value: 'text', meaning: 'jq' },
  template: refused('use --jq', { short: 't', value: 'text' }),
} as const satisfies Record<string, FlagRow>
const BODY = {
  body: { short: 'b', value: 'text', meaning: 'body' },
  'body-file': { short: 'F', value: 'text', meaning: 'body-file' },
} as const satisfies Record<string, FlagRow>
const PLANNING = { milestone: text('m'), project: names('p') }
const EDIT_PLANNING = {
  milestone: text('m'),
  'remove-milestone': on(),
  'add-project': names(),
  'remove-project': names(),
}
const EDIT_NAMES = {
  'add-assignee': names(),
  'add-label': names(),
  'remove-assignee': names(),
  'remove-label': names(),
}
const LIST = {
  ...FORMAT,
  app: { value: 'name' },
  assignee: { short: 'a', value: 'name' },
  author: { short: 'A', value: 'name' },
  label: names('l'),
  limit: { short: 'L', value: 'count' },
  search: { short: 'S', value: 'search' },
  web: WEB,
} as const satisfies Record<string, FlagRow>
const FILL: FlagRow = { value: 'switch', meaning: 'fill' }
const NO_ADMIN = 'a session in a place does not merge past the rules of the repository; a person does that'
const NO_APPROVAL = 'home has one account for you and your agents, so an approval would be yours; a person approves'

const PR: Record<string, CommandRow> = {
  create: {
    access: 'create',
    target: 'none',
    flags: {
      ...BODY,
      title: text('t'),
      base: { short: 'B', value: 'branch' },
      head: { short: 'H', value: 'own-branch' },
      draft: on('d'),
      fill: { ...FILL, short: 'f' },
      'fill-first': FILL,
      'fill-verbose': FILL,
      'dry-run': on(),
      'no-maintainer-edit': on(),
      assignee: names('a'),
      label: names('l'),
      reviewer: names('r'),
      ...PLANNING,
      template: refused(NO_FILE, { short: 'T', value: 'text' }),
      recover: RECOVER,
      editor: EDITOR,
      web: WEB,
    },
  },
  view: { access: 'read', target: 'pull', flags: { ...FORMAT, comments: on('c'), web: WEB } },
  list: {
    access: 'read',
    target: 'none',
    flags: {
      ...LIST,
      state: { short: 's', value: ['open', 'closed', 'merged', 'all'] },
      base: { short: 'B', value: 'branch' },
      head: { short: 'H', value: 'branch' },
      draft: on('d'),
    },
  },
  status: { access: 'read', target: 'none', flags: { ...FORMAT, 'conflict-status': on('c') } },
  checks: {
    access: 'read',
    target: 'pull',
    flags: {
      ...FORMAT,
      watch: on(),
      'fail-fast': on(),
      required: on(),
      interval: { short: 'i', value: 'count' },
      web: WEB,
    },
  },
  diff: {
    access: 'read',
    target: 'pull',
    flags: { color: { value: ['always', 'never', 'auto'] }, 'name-only': on(), patch: on(), web: WEB },
  },
  comment: {
    access: 'comment',
    target: 'pull',
    flags: { ...BODY, 'edit-last': refused('it may be a comment of yours', on()), editor: EDITOR, web: WEB },
  },
  review: {
    access: 'comment',
    target: 'pull',
    flags: {
      ...BODY,
      approve: refused(NO_APPROVAL, on('a')),
      'request-changes': on('r'),
      comment: on('c'),
    },
  },
  edit: {
    access: 'change',
    target: 'pull',
    flags: {
      ...BODY,
      ...EDIT_NAMES,
      ...EDIT_PLANNING,
      title: text('t'),
      base: { short: 'B', value: 'branch' },
      'add-reviewer': names(),
      'remove-reviewer': names(),
    },
  },
  ready: { access: 'change', target: 'pull', flags: { undo: on() } },
  close: { access: 'change', target: 'pull', flags: { comment: text('c'), 'delete-branch': on('d') } },
  reopen: { access: 'change', target: 'pull', flags: { comment: text('c') } },
  merge: {
    access: 'change',
    target: 'pull',
    flags: {
      ...BODY,
      merge: on('m'),
      squash: on('s'),
      rebase: on('r'),
      auto: on(),
      'disable-auto': on(),
      'delete-branch': on('d'),
      'match-head-commit': { value: 'commit' },
      subject: text('t'),
      'author-email': refused('commits have the identity of your account', { short: 'A', value: 'text' }),
      admin: refused(NO_ADMIN, on()),
    },
  },
}

const ISSUE: Record<string, CommandRow> = {
  view: { access: 'read', target: 'issue', needsTarget: true, flags: { ...FORMAT, comments: on('c'), web: WEB } },
  list: {
    access: 'read',
    target: 'none',
    flags: {
      ...LIST,
      state: { short: 's', value: ['open', 'closed', 'all'] },
      mention: { value: 'name' },
      milestone: { short: 'm', value: 'name' },
    },
  },
  status: { access: 'read', target: 'none', flags: FORMAT },
  create: {
    access: 'create',
    target: 'none',
    flags: {
      ...BODY,
      title: text('t'),
      assignee: names('a'),
      label: names('l'),
      ...PLANNING,
      template: refused(NO_FILE, { short: 'T', value: 'text' }),
      recover: RECOVER,
      editor: EDITOR,
      web: WEB,
    },
  },
  comment: {
    access: 'comment',
    target: 'issue',
    needsTarget: true,
    flags: { ...BODY, 'edit-last': refused('it may be a comment of yours', on()), editor: EDITOR, web: WEB },
  },
  edit: {
    access: 'change',
    target: 'issue',
    needsTarget: true,
    flags: { ...BODY, ...EDIT_NAMES, ...EDIT_PLANNING, title: text('t') },
  },
  close: {
    access: 'change',
    target: 'issue',
    needsTarget: true,
    flags: { comment: text('c'), reason: { short: 'r', value: ['completed', 'not planned'] } },
  },
  reopen: { access: 'change', target: 'issue', needsTarget: true, flags: { comment: text('c') } },
}

const RUN: Record<string, CommandRow> = {
  list: {
    access: 'read',
    target: 'none',
    flags: {
      ...FORMAT,
      branch: { short: 'b', value: 'branch' },
      commit: { short: 'c', value: 'commit' },
      created: { value: 'date' },
      event: { short: 'e', value: 'name' },
      limit: { short: 'L', value: 'count' },
      status: { short: 's', value: 'name' },
      user: { short: 'u', value: 'name' },
      workflow: { short: 'w', value: 'name' },
    },
  },
  view: {
    access: 'read',
    target: 'run',
    flags: {
      ...FORMAT,
      'exit-status': on(),
      job: { short: 'j', value: 'id' },
      log: on(),
      'log-failed': on(),
      verbose: on('v'),
      web: WEB,
    },
  },
}

const LABEL: Record<string, CommandRow> = {
  list: {
    access: 'read',
    target: 'none',
    flags: {
      ...FORMAT,
      limit: { short: 'L', value: 'count' },
      order: { value: ['asc', 'desc'] },
      search: { short: 'S', value: 'search' },
      sort: { value: ['created', 'name'] },
      web: WEB,
    },
  },
}

const REPOSITORY: Record<string, CommandRow> = {
  view: {
    access: 'read',
    target: 'repository',
    flags: { ...FORMAT, branch: refused('the files are in your workspace', { short: 'b', value: 'text' }), web: WEB },
  },
}

const NO_TOKEN = 'the token stays at home'
const AUTH: Record<string, CommandRow> = {
  status: {
    access: 'read',
    target: 'none',
    flags: {
      hostname: { short: 'h', value: 'text', meaning: 'host' },
      active: on('a'),
      'show-token': refused(NO_TOKEN, on('t')),
    },
  },
}

const ONLY_READS = 'gh api only reads for a session in a place; use gh pr, gh issue or ao pr reply to write'
const API: CommandRow = {
  access: 'read',
  target: 'route',
  needsTarget: true,
  flags: {
    method: { short: 'X', value: 'text' },
    field: { short: 'F', value: 'text', all: true },
    'raw-field': { short: 'f', value: 'text', all: true },
    header: { short: 'H', value: 'text', all: true },
    hostname: { value: 'text', meaning: 'host' },
    jq: FORMAT.jq,
    template: FORMAT.template,
    paginate: on(),
    silent: on(),
    include: refused('only the body of an answer leaves home', on('i')),
    input: refused(ONLY_READS, { value: 'text' }),
    cache: refused('nothing is kept at home for a place', { value: 'text' }),
    preview: refused('only stable parts of the API are requested', { short: 'p', value: 'text' }),
  },
}

export interface GroupRow {
  /** Flags of all its commands, which may stand before the command's word as well. */
  flags: Readonly<Record<string, FlagRow>>
  commands: Readonly<Record<string, CommandRow>>
  aliases: Readonly<Record<string, string>>
}

const WITH_REPO = { repo: REPO }
const LS = { ls: 'list' }
export const GH_GROUPS: Readonly<Record<string, GroupRow>> = {
  pr: { flags: WITH_REPO, commands: PR, aliases: { ...LS, new: 'create' } },
  issue: { flags: WITH_REPO, commands: ISSUE, aliases: { ...LS, new: 'create' } },
  run: { flags: WITH_REPO, commands: RUN, aliases: LS },
  label: { flags: WITH_REPO, commands: LABEL, aliases: LS },
  repo: { flags: {}, commands: REPOSITORY, aliases: {} },
  auth: { flags: {}, commands: AUTH, aliases: {} },
}
/** Commands of one word. */
export const GH_SINGLE: Readonly<Record<string, CommandRow>> = { api: API }

/** On every command. */
export const GH_ROOT_FLAGS: Readonly<Record<string, FlagRow>> = { help: HELP }
/** On `gh` itself. */
export const GH_OWN_FLAGS: Readonly<Record<string, FlagRow>> = { version: { value: 'switch' } }
