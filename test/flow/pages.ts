// Which pages test/flow/pages.test.ts runs, and what of them it cannot.

/** In `npm test`: where people begin. */
export const FIRST_PAGES = ['README.md', 'docs/getting-started.md', 'docs/recipes.md']

/** In `npm run test:docs`. */
export const ALL_PAGES = [
  ...FIRST_PAGES,
  'docs/adopt.md',
  'docs/agents.md',
  'docs/agh.md',
  'docs/dashboard.md',
  'docs/going-back.md',
  'docs/installing.md',
  'docs/interfaces.md',
  'docs/landing.md',
  'docs/messages.md',
  'docs/places.md',
  'docs/plugins.md',
  'docs/rehearsal.md',
  'docs/running.md',
  'docs/sessions.md',
  'docs/troubleshooting.md',
  'docs/trust.md',
  'docs/work.md',
]

/** Their lines are parsed by test/docs.test.ts, which knows every command and option. */
export const PAGES_NOT_RUN: Readonly<Record<string, string>> = {
  'docs/agents/': 'each agent has to be installed and signed in: npm run test:real',
  'docs/github.md': 'needs GitHub; npm run test:first-hour goes this way with an emulator',
  'docs/wsl.md': 'needs Windows',
  'docs/commands.md': 'generated: the examples of the commands themselves',
  'docs/agh-reference.md': 'the same',
  'docs/reliability.md': 'hours of faults',
}

export const NOT_HERE: ReadonlyArray<{ pattern: RegExp; why: string }> = [
  { pattern: /^npm (?:start|test|pack|install|uninstall)\b/, why: 'sets up or installs: npm run test:first-hour' },
  { pattern: /^ao version\b/, why: 'of the package that the line before installed' },
  { pattern: /--agents? (?:claude-code|codex)\b/, why: 'the agent has to be installed and signed in' },
  { pattern: /^claude mcp add\b/, why: 'the same' },
  { pattern: /npm root -g/, why: 'needs the installed package' },
  { pattern: /--listen tailscale/, why: 'needs tailscale' },
  { pattern: /\b(?:cage|box)\b/, why: 'needs Docker or another machine: npm run test:places' },
  { pattern: /^ao service (?:un)?install\b/, why: "needs the user's systemd or launchd" },
  { pattern: /^ao simulate --(?:replay (?!list)|calibrate)/, why: 'needs a day that was recorded' },
  { pattern: /^ao adopt %3/, why: 'needs a tmux of your own' },
  { pattern: /perm-1|task-1234/, why: 'an id that the line before it prints' },
  { pattern: /--model opus/, why: 'the echo agent has no models' },
]

/** They stay until somebody leaves them: run in a terminal for a moment. */
export const LASTING: ReadonlyArray<{ pattern: RegExp }> = [
  { pattern: /^ao(?: next)?(?:\s+#|$)/ },
  { pattern: /^ao session attach\b/ },
  { pattern: /^ao session log .*--play/ },
  { pattern: /^ao status --watch\b/ },
  { pattern: /^agh session events .*--follow/ },
  { pattern: /^agh daemon start --foreground/ },
]

/** Right when they are refused in these words. */
export const REFUSED: ReadonlyArray<{ pattern: RegExp; says: RegExp }> = [
  { pattern: /^ao session restore app-1 +# when it has ended/, says: /it is still running/ },
  { pattern: /^ao device revoke/, says: /There is no device my phone/ },
  { pattern: /^ao config relink/, says: /no sessions of a configuration that is gone/ },
  { pattern: /^ao adopt fix-login/, says: /needs your agreement/ },
  { pattern: /^ao search (?:"connection reset"|migration)/, says: /Nothing was found/ },
]
