// The keys of a project.
import type { SlotName } from '../ids.ts'
import { agentConfig, environment, fallback, modelName, orchestrator, reviewer, worker } from './agent-keys.ts'
import { gates } from './gates.ts'
import { type Field, group, key, named, plugin, type Value } from './key.ts'
import { budget, reactions } from './reaction-keys.ts'
import { resolve } from './resolve.ts'
import {
  cron,
  filledText,
  flag,
  listOf,
  oneOf,
  pluginName,
  safeName,
  seconds,
  text,
  textOrNumber,
  textOrTexts,
  texts,
  wholeNumber,
} from './values.ts'

const choiceOf = (slot: SlotName, about: string, field?: Field) =>
  plugin({ slot, written: 'choice', about, ...(field && { field }) }, (z) =>
    z.union(
      [z.string(), z.looseObject({ plugin: z.string() })],
      'must be the name of a plugin, or an object with `plugin` and its options',
    ),
  )

const prefix: Value<string> = { ...text, schema: safeName('sessionPrefix') }

const afterStep = group('', {
  name: key({ ...text, schema: safeName('A step') }, 'ci', 'What it is called', { required: true }),
  run: key(filledText, 'ci', 'A command that runs in a fresh checkout of the commit that landed', {
    required: true,
    verbatim: true,
  }),
  timeout: key(
    seconds('must be a number of seconds', [86_400, 'may be a day at most']),
    'ci',
    'Seconds that it may take; 600 by default',
  ),
  retry: key(flag, 'ci', 'true: it may be repeated when it was killed midway; without this a person is asked'),
})

const freezeTime: Value<string> = {
  ...text,
  schema: (z) =>
    z
      .string()
      .check(
        z.regex(
          /^(?:(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) (?:[01]\d|2[0-3]):[0-5]\d|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?: (?:[01]\d|2[0-3]):[0-5]\d)?)$/,
          "must be a day and a time, such as 'Fri 16:00', or a date such as 2026-12-23 or '2026-12-23 18:00'",
        ),
      ),
}

const timeZone: Value<string> = {
  ...text,
  schema: (z) => z.string().check(z.refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')),
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // The only way to ask.
    return false
  }
}

const freezeWindow = group(
  {
    about: '',
    check: (z) =>
      z.refine<{ from?: unknown; to?: unknown }>(
        ({ from, to }) => /^\d/.test(String(from)) === /^\d/.test(String(to)),
        'needs two days of the week or two dates',
      ),
  },
  {
    from: key(freezeTime, 'harmless', "Begins then, every week ('Fri 16:00') or once (2026-12-23)", { required: true }),
    to: key(freezeTime, 'harmless', 'Ends then', { required: true }),
    timezone: key(timeZone, 'harmless', 'Time zone, such as Europe/Berlin; that of this machine by default'),
    reason: key(filledText, 'harmless', 'Shown wherever landing waits'),
  },
)

const landing = group('How approved work gets into the base branch; a person or a reaction merges without this key', {
  mode: key(
    oneOf(['off', 'train']),
    { verdict: 'automatic', but: ['off'] },
    'train: approved, green pull requests land by themselves, each tested with everything ahead of it',
    { default: 'off', field: { label: 'Landing' } },
  ),
  batch: key(wholeNumber(1, 16), 'harmless', 'How many of them are tested at once', { default: 4 }),
  order: key(
    oneOf(['safe', 'fifo']),
    'harmless',
    'safe: as they came, but one that conflicts with several goes behind them; fifo: as they came',
    { default: 'safe' },
  ),
  method: key(
    oneOf(['merge', 'squash', 'rebase']),
    'harmless',
    'How they are merged; as the forge is set up by default',
  ),
  priority: key(texts, 'harmless', 'Labels of pull requests that go first'),
  freeze: key(
    listOf(freezeWindow, (z, list) => list.check(z.maxLength(50, 'may hold 50 windows at most'))),
    'harmless',
    'Times in which nothing lands; a person lifts one with ao land resume --during-freeze',
  ),
  resolve,
  // They decide what may land.
  checks: key(
    texts,
    'automatic',
    'Names of the checks that have to pass on a car on GitHub, GitLab or Forgejo; by default all that passed on the pull request itself',
  ),
  watch: key(
    oneOf(['off', 'notify', 'revert']),
    { verdict: 'automatic', but: ['off', 'notify'] },
    'Checks on the base branch after every merge and push. notify: you and the agent whose work broke it are notified; revert: a pull request that reverts it is opened too, and boards first. off by default',
  ),
  after: key(
    listOf(afterStep, (z, list) =>
      list.check(
        z.maxLength(20, 'may hold 20 steps at most'),
        z.refine<unknown>((all) => {
          const names = (all as Array<{ name: string }>).map(({ name }) => name)
          return new Set(names).size === names.length
        }, 'has two steps of the same name'),
      ),
    ),
    'ci',
    'Steps after each landing, in this order: each once for each landed commit, tried again when it fails',
  ),
  pushProof: key(
    flag,
    { verdict: 'automatic', but: [false] },
    'true: push the proofs of what lands (refs/notes/ao/proof) to the remote. GitHub, GitLab and Forgejo; off by default',
  ),
  sign: key(
    flag,
    { verdict: 'automatic', but: [false] },
    'true: sign the proof of what lands with the ssh key that git signs with (user.signingkey)',
  ),
})

const radar = group('What the radar does beyond merging live branches', {
  meaning: key(
    flag,
    // It runs the commands of gates and CI on work that nobody has proposed yet.
    { verdict: 'ci', but: [false] },
    'true: while the machine is idle, run gates and local CI on live branches together, and name the pairs that fail although each passes alone',
  ),
})

const backlog = group('Issues that are started by themselves; none without this key', {
  label: key(filledText, 'automatic', 'Open issues with this label are picked up', { required: true }),
  maxSessions: key(wholeNumber(1, 100), 'automatic', 'While fewer sessions than this run', { required: true }),
})

const capacity: Value<'auto' | 'off' | number> = {
  schema: (z) =>
    z.union(
      [z.enum(['auto', 'off']), z.int().check(z.minimum(1), z.maximum(1_000))],
      'must be auto, off or a number from 1 to 1000',
    ),
}

const review = group('What a person can review', {
  capacity: key(
    capacity,
    'harmless',
    'How many unreviewed changes may be under way before the backlog, schedules and triggers wait. auto: as many as the measured rate of reviews keeps up with; off: any number. off by default',
  ),
  sensitive: key(texts, 'harmless', 'Paths whose change counts as risk, beside the usual ones; as in .gitignore'),
})

const schedule = group('', {
  when: key(cron, 'automatic', "When it starts: five fields of cron, such as '0 3 * * 1-5'", { required: true }),
  timezone: key(timeZone, 'automatic', 'Time zone of `when`, such as Europe/Berlin; that of this machine by default'),
  prompt: key(filledText, 'automatic', 'What to do', { required: true, verbatim: true }),
  issue: key(textOrNumber, 'automatic', 'Id of an issue to work on; `prompt` is added to it'),
  agent: key(pluginName('agent'), 'automatic', 'Agent to use instead of the configured one'),
  model: key(modelName, 'automatic', 'Model to use instead of the configured one'),
  base: key(filledText, 'automatic', 'Branch to start from instead of the default branch'),
  maxPerDay: key(wholeNumber(1, 1_000), 'automatic', 'Starts on one day at most; 24 by default'),
})

const trigger = group('', {
  label: key(filledText, 'automatic', 'Open issues with this label are started, each once; with `comment`: only there'),
  comment: key(
    filledText,
    'automatic',
    'A command such as /ao fix: first line of a comment on an issue, by one of `by`',
  ),
  by: key(texts, 'automatic', 'Logins of those who may give the command; no one without this key'),
  secret: key(text, 'automatic', 'Started by a request that is signed with this, best as ${NAME}', { secret: true }),
  prompt: key(filledText, 'automatic', 'What to do; added to the issue where there is one', { verbatim: true }),
  agent: key(pluginName('agent'), 'automatic', 'Agent to use instead of the configured one'),
  model: key(modelName, 'automatic', 'Model to use instead of the configured one'),
  base: key(filledText, 'automatic', 'Branch to start from instead of the default branch'),
  maxPerDay: key(wholeNumber(1, 1_000), 'automatic', 'Starts on one day at most; 24 by default'),
})

export const project = group('', {
  path: key(filledText, 'outside', 'The git repository; ~ and paths relative to this file work', {
    required: true,
    field: { label: 'Directory of the repository', hint: 'Relative to the file, absolute, or with ~/' },
  }),
  name: key(text, 'harmless', 'Name shown to people; the key by default', { field: { label: 'Name' } }),
  // Harmless where a remote of the checkout names it: the user has cloned it from there.
  repo: key(text, 'send', 'owner/name on the forge', {
    field: { label: 'Repository on the forge', hint: 'Such as owner/name' },
  }),
  defaultBranch: key(filledText, 'harmless', 'Branch that new work starts from', {
    default: 'main',
    field: { label: 'Branch that new work starts from' },
  }),
  sessionPrefix: key(prefix, 'harmless', 'Prefix of session ids; derived from the key by default'),
  tracker: choiceOf('tracker', 'Where issues live', { label: 'Issues' }),
  scm: choiceOf('scm', 'Where pull requests live', { label: 'Pull requests' }),
  agent: key(pluginName('agent'), 'harmless', 'Agent plugin for this project', { field: { label: 'Agent' } }),
  runtime: key(pluginName('runtime'), 'harmless', 'Runtime plugin for this project', { field: { label: 'Runtime' } }),
  // A place of the user's own; what a place is needs consent where it is written.
  place: key(
    textOrTexts('must be the name of a place or a list of them'),
    'harmless',
    'Where its workers run: the first of these places that has room. Without it: on this machine',
  ),
  workspace: choiceOf('workspace', 'Workspace plugin for this project'),
  terminal: key(pluginName('terminal'), 'harmless', 'Terminal plugin for this project'),
  agentConfig: agentConfig('Settings of the agent'),
  environment,
  worker,
  orchestrator,
  reviewer,
  fallback,
  agentRules: key(text, 'harmless', 'Rules added to every prompt', {
    verbatim: true,
    field: { label: 'Rules that every prompt ends with', isLong: true },
  }),
  agentRulesFile: key(text, 'outside', 'File with such rules, relative to the project'),
  orchestratorRules: key(text, 'harmless', 'Rules added to the orchestrator prompt', { verbatim: true }),
  // Both are confined to the project where they are used, links resolved.
  symlinks: key(texts, 'harmless', 'Paths of the project linked into every worktree'),
  envFiles: key(texts, 'harmless', 'Files copied into every worktree, .env by default'),
  postCreate: key(texts, 'postCreate', 'Commands run in a new worktree', {
    verbatim: true,
    field: { label: 'Commands that prepare a new worktree', hint: 'One on each line' },
  }),
  preRemove: key(texts, 'postCreate', 'Commands run in a worktree before it is removed, after its work was saved', {
    verbatim: true,
  }),
  postCreateTimeout: key(
    seconds('must be greater than 0'),
    'harmless',
    'Seconds each command of postCreate and preRemove may take; 300 by default',
  ),
  // Strangers could then talk to agents that run on this machine.
  forwardOutsiders: key(
    flag,
    { verdict: 'agent-command', but: [false] },
    'true: pass review comments of people outside the repository on to agents too',
  ),
  reactions,
  gates,
  budget: budget('What all sessions of this project may cost on one day'),
  landing,
  review,
  radar,
  backlog,
  speculate: key(
    flag,
    { verdict: 'automatic', but: [false] },
    'true: a session that needs the unfinished work of one other session starts at once on its branch instead of waiting',
  ),
  schedules: named({ about: 'Work that is started at certain times, by name', name: safeName('A schedule') }, schedule),
  triggers: named(
    { about: 'Work that is started when something happens, by name', name: safeName('A trigger'), secret: false },
    trigger,
  ),
})
