// Everything that agent-orchestrator.yaml may contain. Nothing is read here.
import type { SlotName } from '../ids.ts'
import { account, environment, fallback, orchestrator, reviewer, worker } from './agent-keys.ts'
import { group, key, named, openGroup, plugin, type Value } from './key.ts'
import { project } from './project-keys.ts'
import { budget, reactions } from './reaction-keys.ts'
import {
  anyName,
  flag,
  listOf,
  numberBetween,
  oneOf,
  pluginName,
  safeName,
  text,
  textByName,
  texts,
  wholeNumber,
} from './values.ts'

/** G leads to the last row. */
const actionKey: Value<string> = {
  ...text,
  schema: (z) => z.string().check(z.regex(/^[A-FH-Z]$/, 'must be an upper-case letter other than G')),
}

const dashboard = group(
  { about: 'Who can reach the dashboard; only this machine without this key', merge: 'keys' },
  {
    host: key(
      text,
      { verdict: 'listen', but: ['127.0.0.1', '::1', 'localhost'] },
      'Address to listen on, 127.0.0.1 by default; another one needs `token`',
    ),
    token: key(
      text,
      'listen',
      'Bearer token beside the one that ao keeps itself, best as ${NAME}; at least 16 characters',
      { secret: true },
    ),
    allowedHosts: key(texts, 'listen', 'Further names under which it is reached, as a browser shows them'),
    listen: key(
      text,
      'listen',
      'Listen there too, beside this machine: `tailscale`, or an address of a private network; any other address needs `tls`',
      { variable: 'AO_LISTEN' },
    ),
    tls: group('Encrypts what comes to the address of `listen`', {
      cert: key(text, 'listen', 'File with the certificate and what leads to its authority, as PEM', {
        required: true,
        variable: 'AO_TLS_CERT',
      }),
      key: key(text, 'listen', 'File with its key', { required: true, variable: 'AO_TLS_KEY' }),
    }),
    url: key(
      text,
      'listen',
      'Its address as your phone sees it, such as https://ao.example.ts.net: notifications link to it and can be answered by link',
    ),
  },
)

const defaults = group(
  { about: 'What a project uses when it says nothing', merge: 'keys', default: {} },
  {
    agent: key(pluginName('agent'), 'harmless', 'Agent plugin used where nothing else is said', {
      variable: 'AO_AGENT',
      field: { label: 'Agent' },
    }),
    runtime: key(pluginName('runtime'), 'harmless', 'tmux where it is installed, else process', {
      variable: 'AO_RUNTIME',
      field: { label: 'Runtime' },
    }),
    workspace: key(pluginName('workspace'), 'harmless', 'worktree by default', {
      variable: 'AO_WORKSPACE',
      field: { label: 'Workspace' },
    }),
    notifiers: key(texts, 'harmless', 'Notifiers used where nothing else is said'),
    environment,
    worker,
    orchestrator,
    reviewer,
    fallback,
  },
)

const anything: Value<Record<string, unknown>> = { schema: (z) => z.record(z.string(), z.unknown()) }

/** A plugin and its options belong together: options of one plugin mean nothing to another. */
const defaultOf = (slot: SlotName) =>
  plugin({ slot, written: 'default', about: '' }, (z) =>
    z.strictObject({
      name: z.string().check(z.describe('The plugin that fills this slot where nothing else is said')),
      config: z.optional(z.record(z.string(), z.unknown())).check(z.describe('Options of the plugin')),
    }),
  )

const externalPlugin = group(
  {
    about: '',
    consent: 'plugin',
    check: (z) =>
      z.refine<Record<string, unknown>>(
        ({ package: name, path }) => (name === undefined) !== (path === undefined),
        'needs either `package` or `path`',
      ),
  },
  {
    package: key(text, 'plugin', 'npm package, from ~/.ao/plugins or from node_modules beside this file'),
    path: key(text, 'plugin', 'File or directory; ~ and paths relative to this file work'),
    enabled: key(flag, 'plugin', 'false: leave it out'),
    config: key(anything, 'plugin', 'Options of the plugin'),
  },
)

const plugins = group(
  { about: 'Plugins per slot with their options, and external ones', merge: 'keys', default: {} },
  {
    runtime: defaultOf('runtime'),
    agent: defaultOf('agent'),
    workspace: defaultOf('workspace'),
    tracker: defaultOf('tracker'),
    scm: defaultOf('scm'),
    notifier: defaultOf('notifier'),
    terminal: defaultOf('terminal'),
    external: key(listOf(externalPlugin), 'plugin', 'Plugins from npm packages or local paths', { merge: 'joined' }),
  },
)

/** Open: an engine has options of its own, which its plugin checks. */
const place = openGroup(
  { about: '', others: 'place' },
  {
    type: key(text, 'place', 'The engine: docker, ssh, kubernetes, slurm, or one that a plugin brings', {
      required: true,
    }),
    maxSessions: key(wholeNumber(1, 10_000), 'harmless', 'It takes no more sessions than this at a time'),
    environment: key(
      texts,
      'environment',
      'Further variables of yours that agents there get; a name may end in *. Without it: the keys of models only',
    ),
    cloneFrom: key(
      oneOf(['home', 'remote']),
      'place',
      'Where it gets commits. home (the default): from this machine; remote: from origin, with the access that the place has, and the rest from this machine',
    ),
    maxUntrackedMb: key(
      wholeNumber(0, 100_000),
      'harmless',
      'Untracked files of a session that come home with its work, in megabytes (default 50). More stay in the place, and you are notified',
    ),
  },
)

const otlpEndpoint: Value<string> = {
  schema: (z) =>
    z
      .string()
      .check(
        z.regex(
          /^https?:\/\/[^\s/@?#]+(?:\/[^\s@?#]*)?$/,
          'an http or https address without a user, query or fragment',
        ),
      ),
}

const namesByPriority: Value<Record<string, string[]>> = {
  schema: (z) => z.record(z.string(), z.array(z.string())),
}

export const CONFIG = group(
  { about: '', required: true, merge: 'keys' },
  {
    $schema: key(text, 'harmless', 'Where editors find this schema', { merge: 'repository', verbatim: true }),
    port: key(wholeNumber(0, 65_535), 'harmless', "The dashboard's port; 0: any that is free", {
      default: 3000,
      variable: 'AO_PORT',
    }),
    dashboard,
    sessionPorts: group(
      'Ports of a session for its servers and tests: `AO_SESSION_PORT`, `AO_SESSION_PORT_1` and so on, different in every session',
      {
        first: key(wholeNumber(1024, 65_000), 'harmless', 'First port that is given away; 21000 by default'),
        count: key(wholeNumber(0, 100), 'harmless', 'How many each session gets; 10 by default, 0: none'),
      },
    ),
    readyThresholdMs: key(wholeNumber(0), 'harmless', 'Inactivity after which an agent is idle', { default: 300_000 }),
    defaults,
    lifecycle: group(
      { about: 'The loop that `ao start` runs', merge: 'keys' },
      {
        pollSeconds: key(
          numberBetween(0.1, 3600),
          'harmless',
          'How often everything is looked at, the forge included; changes are noticed sooner by watching',
          { default: 30, variable: 'AO_POLL_SECONDS', field: { label: 'Seconds between two rounds of the loop' } },
        ),
      },
    ),
    disk: group(
      {
        about:
          'How much is kept of archived sessions, and of the turns that sessions can go back to. The oldest goes first, `ao start` looks once a day, and the history of each session says what went',
        merge: 'keys',
      },
      {
        recordingsMb: key(wholeNumber(0), 'automatic', 'Recorded terminals, in megabytes; 4096 by default'),
        historiesMb: key(
          wholeNumber(0),
          'automatic',
          'Histories, in megabytes; 1024 by default. The end of each one stays',
        ),
        eventLogsMb: key(
          wholeNumber(0),
          'automatic',
          'Event logs of agents over ACP, in megabytes; no limit by default. The end of each one stays; files attached to the rest go with it',
        ),
        rescueDays: key(
          wholeNumber(1),
          'automatic',
          'For how many days rescued work is kept that no branch or tag has; 365 by default. What one of them has goes sooner',
        ),
        checkpointsMb: key(
          wholeNumber(0),
          'automatic',
          "Files of sessions before their turns, in megabytes of each repository's objects that nothing else needs; 1024 by default",
        ),
        checkpointDays: key(
          wholeNumber(0),
          'automatic',
          'For how many days a session can go back to a turn; 30 by default',
        ),
        cassettesMb: key(
          wholeNumber(0),
          'automatic',
          'Days that the loop recorded for `ao simulate --replay <day>`, in megabytes; 256 by default. 0 records nothing',
        ),
        cassetteDays: key(wholeNumber(1), 'automatic', 'For how many days they are kept; 30 by default'),
      },
    ),
    plugins,
    places: named(
      {
        about: 'Where agents can run besides this machine, by name (docs/places.md)',
        name: safeName('A place'),
      },
      place,
    ),
    accounts: named(
      {
        about: 'Further accounts and agents that `fallback` may name, by name',
        name: safeName('An account'),
        merge: 'keys',
      },
      account,
    ),
    actions: named(
      {
        about: 'Own actions on a session, for keys of the board in the terminal, by name (docs/terminal-board.md)',
        name: safeName('An action'),
        merge: 'keys',
      },
      group('', {
        key: key(actionKey, 'agent-command', 'Its key: an upper-case letter other than G', { required: true }),
        run: key(
          texts,
          'agent-command',
          'The program and its arguments, which no shell reads; {session}, {project}, {branch} and {pr} in an argument stand for those of the chosen session',
          { required: true },
        ),
      }),
    ),
    aliases: named(
      {
        about: 'Own names for commands of ao, which never take the place of one (docs/interfaces.md)',
        name: safeName('An alias'),
        merge: 'keys',
      },
      group('', {
        run: key(texts, 'agent-command', 'The command and its arguments, such as [session, ls, --all]', {
          required: true,
        }),
      }),
    ),
    // A project belongs to the file that describes its repository.
    projects: named(
      { about: 'The repositories, by id', name: safeName('A project id'), required: true, merge: 'repository' },
      project,
    ),
    notifiers: named(
      { about: 'Ways to notify a person, by name', name: anyName, merge: 'keys' },
      plugin({ slot: 'notifier', written: 'choice', about: '' }, (z) => z.looseObject({ plugin: z.string() })),
    ),
    webhooks: named(
      {
        about:
          'By scm plugin: `ao start` listens on POST /api/webhooks/<plugin> and looks at once when the forge says so',
        name: anyName,
        merge: 'keys',
        secret: false,
      },
      group('', {
        secret: key(text, 'listen', 'The secret shared with the forge, best as ${NAME}', {
          secret: true,
          required: true,
        }),
      }),
    ),
    notificationRouting: key(namesByPriority, 'harmless', 'Which notifiers get which priority', { merge: 'keys' }),
    telemetry: group('Traces for OpenTelemetry (docs/observability.md); nothing is sent without this key', {
      endpoint: key(
        otlpEndpoint,
        'send',
        'Where a collector takes OTLP over HTTP, such as http://localhost:4318; /v1/traces is added',
        { required: true },
      ),
      headers: key(textByName, 'send', 'Sent along, such as `authorization`; secrets best as ${NAME}', {
        secret: true,
      }),
    }),
    reactions,
    budget: budget('What all projects of this file together may cost on one day'),
  },
)
