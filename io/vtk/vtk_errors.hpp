// Collects what VTK complains about while it lives, instead of letting it print. Private to io. VTK has one output
// window for the whole program: one of these at a time.
#pragma once

#include <string>

#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

namespace ritz {

class VtkErrors {
 public:
  VtkErrors()
      : window_before_(vtkOutputWindow::GetInstance()), verbosity_before_(vtkLogger::GetCurrentVerbosityCutoff()) {
    vtkOutputWindow::SetInstance(window_);
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  }
  ~VtkErrors() {
    vtkOutputWindow::SetInstance(window_before_);
    vtkLogger::SetStderrVerbosity(verbosity_before_);
  }
  VtkErrors(const VtkErrors&) = delete;
  VtkErrors& operator=(const VtkErrors&) = delete;
  const std::string& text() const { return window_->text; }

 private:
  class Window : public vtkOutputWindow {
   public:
    static Window* New() { VTK_STANDARD_NEW_BODY(Window); }
    void DisplayText(const char*) override {}
    void DisplayErrorText(const char* message) override { add(message != nullptr ? message : ""); }
    std::string text;

   private:
    // "vtkClass (0x...): the message", and longer dumps of the pipeline that say nothing to people.
    void add(std::string message) {
      if (message.find("returned failure for request") != std::string::npos) return;
      if (const std::size_t colon = message.find("): "); colon != std::string::npos) message.erase(0, colon + 3);
      while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
      if (text.find(message) != std::string::npos) return;
      if (!text.empty()) text += "; ";
      text += message;
    }
  };

  vtkNew<Window> window_;
  vtkSmartPointer<vtkOutputWindow> window_before_;
  vtkLogger::Verbosity verbosity_before_;
};

}  // namespace ritz
