@echo off
rem Starts perceptron-streams on Windows, with the arguments and the options of the JVM of the script "perceptron". In a source
rem tree it starts what "mvnw.cmd -DskipTests package" has built.
rem
rem   JAVA_HOME          the JDK or JRE to use; otherwise java from the PATH
rem   PERCEPTRON_OPTS    options for the JVM, such as -Xmx4g; they win over those chosen here
setlocal EnableExtensions DisableDelayedExpansion

set "home=%~dp0"
set "jar=%home%perceptron-streams.jar"
if exist "%home%pom.xml" set "jar=%home%target\perceptron-streams.jar"
if not exist "%jar%" goto no_jar

set "java="
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
if not defined JAVA_HOME for %%j in (java.exe) do set "java=%%~$PATH:j"
if not defined java goto no_java
if not exist "%java%" goto no_java

rem The file "release" of a JDK spares the start of a second JVM.
set "version="
for %%j in ("%java%\..\..\release") do set "release=%%~fj"
if exist "%release%" for /f "usebackq tokens=1,2 delims==" %%a in ("%release%") do if "%%a"=="JAVA_VERSION" set "version=%%~b"
if not defined version for /f "tokens=2" %%v in ('call "%java%" --version') do if not defined version set "version=%%v"
set "major="
for /f "delims=.-+" %%m in ("%version%") do set "major=%%m"
if not defined major goto old_java
if %major% LSS 17 goto old_java
set "unsafe="
if %major% GEQ 23 set "unsafe=--sun-misc-unsafe-memory-access=allow"

rem Why these options: see "perceptron". A size of the heap in bytes or gigabytes is not below 240 MB here.
set "young=160m"
set "chosen="
for %%o in (%JAVA_TOOL_OPTIONS% %JDK_JAVA_OPTIONS% %PERCEPTRON_OPTS% %_JAVA_OPTIONS%) do call :option "%%~o"
set "engine_collector=-XX:+UseParallelGC -Xmn%young% -XX:InitialRAMPercentage=100 -XX:MinHeapFreeRatio=50"
set "engine_flags=-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"

set "collector=-XX:+UseSerialGC"
set "flags=-XX:TieredStopAtLevel=1"
for %%c in (fit verify what-if explain produce) do if "%~1"=="%%c" set "flags="
if "%~1"=="fit" set "flags=-Xmn12m"
for %%c in (run replica) do if "%~1"=="%%c" set "flags=%engine_flags%"
for %%c in (run replica) do if "%~1"=="%%c" set "collector=%engine_collector%"
rem The JVM refuses two collectors.
if defined chosen set "collector="
if defined chosen set "engine_collector="

if "%~1"=="--engine-flags" goto engine_flags
"%java%" -XX:+ExitOnOutOfMemoryError -Dfile.encoding=UTF-8 %unsafe% %collector% %flags% %PERCEPTRON_OPTS% -jar "%jar%" %*
exit /b %errorlevel%

:engine_flags
echo %engine_collector% %engine_flags%
exit /b 0

rem Notes the collector and the size of the heap that an option chooses.
:option
set "option=%~1"
if "%option:~0,8%"=="-XX:+Use" if "%option:~-2%"=="GC" set "chosen=yes"
if not "%option:~0,4%"=="-Xmx" exit /b 0
set "young=160m"
set "unit=%option:~-1%"
set "digits=%option:~4,-1%"
set "kilobytes=0"
if /i "%unit%"=="k" set /a "kilobytes=digits"
if /i "%unit%"=="m" set /a "kilobytes=digits*1024"
if %kilobytes% LSS 1 exit /b 0
if %kilobytes% GEQ 819200 exit /b 0
set /a "fifth=kilobytes/5"
set "young=%fifth%k"
exit /b 0

:no_jar
echo perceptron: "%jar%" is missing; the script belongs beside it, and in a source tree "mvnw.cmd -DskipTests package" builds it 1>&2
exit /b 1

:no_java
echo perceptron: java not found; a JDK 17 or newer is needed: install one, or set JAVA_HOME to its directory (it is "%JAVA_HOME%") 1>&2
exit /b 1

:old_java
if not defined version set "version=of an unknown version"
echo perceptron: "%java%" is Java %version%; a JDK 17 or newer is needed: set JAVA_HOME 1>&2
exit /b 1
