// The runtime suite over a real sshd.
import { plugin } from './ssh-plugin.ts'
import { describeOverSsh } from './ssh-suite.ts'

describeOverSsh({ plugin, pluginFile: 'ssh-plugin.ts', detachKeys: '\u001d' })
