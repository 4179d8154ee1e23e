// `ao completion`: the script that connects a shell's Tab key with `ao __complete`.
import { completionCommandOf } from '../../completion.ts'

export const completionCommand = completionCommandOf('ao', 'Commands, options, session ids and projects are completed.')
