// The environment of gh when home runs it for a session in a place: no repository but the one that is named, nothing that opens an
// editor, a pager or a browser, and no git: gh is run outside of every checkout, and git would find none.

const DROPPED =
  /^(?:GIT_.*|GH_(?:REPO|HOST|DEBUG|FORCE_TTY|EDITOR|BROWSER|PAGER|PROMPT.*|MDWIDTH)|DEBUG|CLICOLOR_FORCE|GLAMOUR_STYLE)$/

const FIXED: Readonly<Record<string, string>> = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_PAGER: 'cat',
  PAGER: 'cat',
  GH_EDITOR: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  GH_BROWSER: 'false',
  BROWSER: 'false',
  NO_COLOR: '1',
  GIT_DIR: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
}

type Variables = Readonly<Record<string, string | undefined>>

export function ghEnvironment(env: Variables): Record<string, string | undefined> {
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !DROPPED.test(name))), ...FIXED }
}
