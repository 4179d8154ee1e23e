// "There is no such issue" as the error that people and programs know.
import { AoError } from '../../contract/errors.ts'
import { isIssueNotFoundError } from '../../slots/tracker.ts'

export async function orIssueNotFound<T>(id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isIssueNotFoundError(error)) throw error
    throw new AoError('ISSUE_NOT_FOUND', `There is no issue ${id}`, { details: { issueId: id } })
  }
}
