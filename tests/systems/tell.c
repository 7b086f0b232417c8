// Sends a console event to a program under Wine: tell PART-OF-ITS-NAME EVENT, where EVENT is 0 for
// Ctrl-C, or 2 for a closed window. As on Windows, starts a thread in the other program at
// CtrlRoutine. Prints the exit status if the program ends within 20 seconds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <tlhelp32.h>

static DWORD process_of(const char* part) {
  PROCESSENTRY32 entry = {.dwSize = sizeof entry};
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  for (BOOL more = Process32First(all, &entry); more; more = Process32Next(all, &entry))
    if (strstr(entry.szExeFile, part)) return entry.th32ProcessID;
  return 0;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  DWORD status = 0;
  void* event = (void*)(INT_PTR)atoi(words[2]);
  void* routine = (void*)GetProcAddress(GetModuleHandleA("kernelbase"), "CtrlRoutine");
  HANDLE process = OpenProcess(PROCESS_ALL_ACCESS, FALSE, process_of(words[1]));
  if (!process || !routine) return 1;
  if (!CreateRemoteThread(process, NULL, 0, (LPTHREAD_START_ROUTINE)routine, event, 0, NULL))
    return 1;
  if (WaitForSingleObject(process, 20000) != WAIT_OBJECT_0) return 1;
  GetExitCodeProcess(process, &status);
  printf("%lu\n", status);
}
