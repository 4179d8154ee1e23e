// The configuration file as the page edits it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useAnswer } from '../../../api/answered.tsx'
import { type AnswerOf, ask } from '../../../api/client.ts'
import { toast, toastError } from '../../../ui/overlay/toast.tsx'

export type ConfigAnswer = AnswerOf<'GET /api/config'>

/** With the settings: a change of the file makes both stale. */
const KEY = ['settings', 'file']

export function useConfigFile() {
  return useAnswer(KEY, 'GET /api/config')
}

export function useUndo() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask('POST /api/config/undo', { body: {} }),
    onSuccess: () => toast({ tone: 'good', title: 'The last change was undone' }),
    onError: (error) => toastError(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['settings'] }),
  })
}
