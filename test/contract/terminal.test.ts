import { createAttachTerminal } from '../../src/plugins/terminal-attach/index.ts'
import { createIterm2Terminal } from '../../src/plugins/terminal-iterm2/iterm2-terminal.ts'
import { createWebTerminal } from '../../src/plugins/terminal-web/index.ts'
import { terminalSuite } from './terminal-suite.ts'

terminalSuite({
  name: 'attach',
  opener: 'tmux',
  create: (env) => createAttachTerminal({ env }),
  reaches: (id) => `arg=attach-session\narg=-t\narg==0123456789ab-${id}\n`,
  whenOpenerFails: 'throws',
})

terminalSuite({
  name: 'iterm2',
  opener: 'osascript',
  create: (env) => createIterm2Terminal({ env, platform: 'darwin' }),
  reaches: (id) => `arg=-\narg=0123456789ab-${id}\narg=${id}\narg=exec env -u TMUX tmux -L ao attach-session -t`,
  whenOpenerFails: 'throws',
})

terminalSuite({
  name: 'web',
  opener: 'xdg-open',
  create: (env, print) => createWebTerminal({ address: () => 'http://localhost:4567', env, platform: 'linux', print }),
  reaches: (id) => `arg=http://localhost:4567/sessions/${id}\n`,
  whenOpenerFails: 'goes on',
})
