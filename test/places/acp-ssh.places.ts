// The runtime suite for agents that speak ACP, over a real sshd.
import { overAcp } from '../contract/acp-under-test.ts'
import { plugin } from './acp-ssh-plugin.ts'
import { describeOverSsh } from './ssh-suite.ts'

describeOverSsh({ plugin, pluginFile: 'acp-ssh-plugin.ts', detachKeys: '\u0003', speaksAcp: overAcp() })
